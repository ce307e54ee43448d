import sys

print("Hello from", sys.implementation.name)
for number in range(1, 6):
    print(number, "squared is", number ** 2)
