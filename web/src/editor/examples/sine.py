import math, time

for step in range(60):
    column = int(24 + 22 * math.sin(step / 5))
    print(" " * column + "*")
    time.sleep(0.05)
