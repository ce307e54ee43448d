# Power cuts of sd_logger.py, which stands before this without its last line, on a block device in memory. The clock is
# simulated, and each write of a block is written down: a cut is all of them up to one.
import os


class Blocks:
    def __init__(self, size, count):
        self.size, self.data, self.log = size, bytearray(size * count), []

    def readblocks(self, block, buffer, offset=0):
        start = block * self.size + offset
        buffer[:] = self.data[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=0):
        self.put(block * self.size + offset, buffer)
        self.log.append((clock.ms, block * self.size + offset, bytes(buffer)))

    def put(self, start, buffer):
        self.data[start : start + len(buffer)] = buffer

    def ioctl(self, op, argument):
        if op == 4:
            return len(self.data) // self.size
        if op == 5:
            return self.size
        return 0


class Clock:
    ms = 0

    def ticks_ms(self):
        return self.ms

    def ticks_diff(self, a, b):
        return a - b

    def ticks_add(self, a, b):
        return a + b


clock = Clock()
time = clock  # the logger's own


def say(text):  # nobody listens
    pass


def sample():
    return "%d,%d" % (clock.ms, clock.ms * 37 % 1009)


def record(blocks, seconds):
    clock.ms = 0
    logger = Logger()
    logger.start("cut")
    start = len(blocks.log)
    while clock.ms < seconds * 1000:
        clock.ms += 1
        logger.record()
    end = len(blocks.log)
    logger.stop()
    return start, end


def rows_of(filesystem):
    file = filesystem.open("/cut.csv", "r")
    lines = file.read().split("\n")
    file.close()
    assert lines[0] == HEADER.strip(), lines[0]
    for line in lines[1:-1]:
        ms, value = line.split(",")
        assert int(value) == int(ms) * 37 % 1009, line
    return [int(line.split(",")[0]) for line in lines[1:-1]]


def cut(name, make, block, count, seconds, cuts):
    """Cuts the power at so many writes of a recording, and reads what is left each time."""
    global FOLDER
    blocks = Blocks(block, count)
    make.mkfs(blocks)
    empty, blocks.log = bytes(blocks.data), []
    os.mount(make(blocks), "/" + name)
    FOLDER = "/" + name
    start, end = record(blocks, seconds)
    os.umount("/" + name)
    left = Blocks(block, count)
    left.data[:] = empty
    applied, worst = 0, 0
    for index in range(cuts):
        last = start + (end - start) * index // cuts
        # The power fails before this write; time has gone on until then.
        for _, place, data in blocks.log[applied:last]:
            left.put(place, data)
        applied = last
        now = blocks.log[last][0]
        copy = Blocks(block, count)
        copy.data[:] = left.data
        rows = rows_of(make(copy))
        lost = now - (rows[-1] if rows else 0)
        worst = max(worst, lost)
        assert lost <= FLUSH_MS + 2 * PERIOD_MS, "%s: cut at %d ms, %d ms lost" % (name, now, lost)
    print(name, cuts, "cuts,", worst, "ms lost at most")


cut("fat", os.VfsFat, 512, 256, 25, 100)
cut("lfs", os.VfsLfs2, 512, 256, 25, 100)
