total = 0
for n in range(3):
    total += n
print(total)
while total:  # stop
    total -= 1
print('end')
