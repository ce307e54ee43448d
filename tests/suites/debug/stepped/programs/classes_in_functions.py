def make(n):
    class Local:
        kind = "local"
        def m(self):
            return n
    return Local
A = make(1)
B = make(2)
print(A().m(), B().m(), A is B, A.kind)
