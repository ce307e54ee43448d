import time

seconds = 0
while True:
    print(seconds, "s")
    seconds += 1
    time.sleep(1)
