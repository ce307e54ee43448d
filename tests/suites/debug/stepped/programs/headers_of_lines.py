def f(a,
      b=2):
    return a + b
def g(a): return a
class A:
    def m(self,
          n): return n
    def k(self): x = 1; return x
print(f(1), g(2),
      A().m(3),
      A().k())
