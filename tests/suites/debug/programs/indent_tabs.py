def outer(n):
	total = 0
	for i in range(n):
		if i % 2:
			total += i  # stop
	return total

print(outer(4))
