import math, time

# Press Plot above the terminal: each name becomes a line.
for step in range(400):
    t = step / 40
    print("sine:", math.sin(t), "fading:", math.cos(3 * t) / (1 + t))
    time.sleep(0.01)
