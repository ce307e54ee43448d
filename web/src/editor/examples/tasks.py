import time

# Three tasks take turns: each goes on where its yield was.
def task(name, pause, turns):
    for turn in range(turns):
        print(name, "turn", turn + 1)
        wake = time.ticks_add(time.ticks_ms(), pause)
        while time.ticks_diff(wake, time.ticks_ms()) > 0:
            yield

tasks = [task("red", 300, 4), task("green", 200, 6), task("blue", 500, 2)]
while tasks:
    for one in list(tasks):
        try:
            next(one)
        except StopIteration:
            tasks.remove(one)
    time.sleep_ms(1)
print("all done")
