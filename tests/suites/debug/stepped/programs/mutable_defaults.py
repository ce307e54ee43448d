def add(x, seen=[]):
    seen.append(x)
    return seen
class C:
    def put(self, k, all={}):
        all[k] = len(all)
        return all
print(add(1))
print(add(2))
c = C()
c.put("a")
print(sorted(c.put("b").items()))
