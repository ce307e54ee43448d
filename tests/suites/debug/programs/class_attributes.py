class Shared:
    items = []
    def add(self, item):
        self.items.append(item)
        count = len(self.items)
        return count  # stop

a, b = Shared(), Shared()
print(a.add(1), b.add(2), Shared.items)
