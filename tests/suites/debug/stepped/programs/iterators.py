class Count:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i
    def __len__(self):
        return self.n
    def __getitem__(self, k):
        return k * 2
    def __contains__(self, k):
        return k == 7
c = Count(2)
for x in c:
    print(x)
print([x for x in c], len(c), c[4], 7 in c)
