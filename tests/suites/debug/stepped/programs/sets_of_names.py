class Meta:
    names = []
    def __init__(self, f):
        Meta.names.append(f.__name__)
        self.f = f
    def __call__(self):
        return self.f()
@Meta
def one():
    return 1
@Meta
def two():
    return 2
print(one(), two(), Meta.names)
