def checksum(data):
    total = 0
    for at in range(0, len(data), 2):
        part = list(data[at:at + 2])
        total ^= sum(part)  # stop
    return total

print(checksum(bytearray(b'abcd')))
