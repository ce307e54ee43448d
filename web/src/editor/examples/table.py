import os

# A table in a file on the board: press Files to see it.
with open("table.csv", "w") as file:
    file.write("celsius,fahrenheit\n")
    for celsius in range(0, 101, 10):
        file.write("%d,%d\n" % (celsius, celsius * 9 // 5 + 32))

with open("table.csv") as file:
    for line in file:
        print(line.strip())
print(os.stat("table.csv")[6], "bytes in table.csv")
