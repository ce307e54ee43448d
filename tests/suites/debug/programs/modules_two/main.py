# microbit: ImportError; it imports nothing from the host
import lib

def work(n):
    m = lib.twice(n)
    return m + 1  # stop

print(work(4))
