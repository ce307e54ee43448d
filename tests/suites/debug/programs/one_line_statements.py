def f(a): b = a + 1; return b

n = f(1); m = n + 1; print(m)  # stop
for i in range(2): print(f(i))
if f(m): k = 1; print('yes')
print(k)  # stop
