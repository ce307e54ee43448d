/** Programs to start from. Each runs on the board in the page, and on any other. */

export interface Example {
  name: string;
  program: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: "Hello",
    program: `import sys

print("Hello from", sys.implementation.name)
for number in range(1, 6):
    print(number, "squared is", number ** 2)
`,
  },
  {
    name: "Count until stopped",
    program: `import time

seconds = 0
while True:
    print(seconds, "s")
    seconds += 1
    time.sleep(1)
`,
  },
  {
    name: "Draw a sine",
    program: `import math, time

for step in range(60):
    column = int(24 + 22 * math.sin(step / 5))
    print(" " * column + "*")
    time.sleep(0.05)
`,
  },
  {
    name: "A mistake to find",
    program: `def mean(values):
    return sum(values) / len(values)

readings = [20.5, 21.0, 20.8]
print("mean of three:", mean(readings))
print("mean of none:", mean([]))
`,
  },
  {
    name: "What is on this board",
    program: `import gc, os, sys

print(sys.version)
print("platform:", sys.platform)
print("free memory:", gc.mem_free(), "bytes")
print("files:", os.listdir())
`,
  },
];
