total = 0
for i in range(3):
    if i == 1:
        continue
    total += i
else:
    total += 100
while total > 100:
    total -= 1
    if total == 101:
        break
else:
    print("never")
print(total)
for a, b in [(1, 2), (3, 4)]:
    print(a, b)
