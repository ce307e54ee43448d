# browser: SyntaxError; it has no native code
# microbit: SyntaxError; it has no native code
import micropython

@micropython.native
def fast(n):
    s = 0
    for i in range(n):
        s += i
    return s  # stop

print(fast(4))
