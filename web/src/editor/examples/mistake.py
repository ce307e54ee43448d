def mean(values):
    return sum(values) / len(values)

readings = [20.5, 21.0, 20.8]
print("mean of three:", mean(readings))
print("mean of none:", mean([]))
