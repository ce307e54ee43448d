def account():
    balance = 0
    def put(amount):
        nonlocal balance
        balance += amount  # stop
    def get():
        return balance  # stop
    return put, get

put, get = account()
put(5)
put(7)
print(get())
