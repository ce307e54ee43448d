class Table:
    rows = []
    for n in range(3):
        rows.append(n * n)
    size = len(rows)

    def get(self, at):
        row = self.rows[at]
        return row  # stop

print(Table().get(2), Table.size)
