def gcd(a, b):
    if b == 0:
        return a  # stop
    return gcd(b, a % b)

numbers = [48, 18]
answer = gcd(numbers[0], numbers[1])
print(answer)  # stop
