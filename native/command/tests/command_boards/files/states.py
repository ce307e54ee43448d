# A simulated flash whose writes are logged, so that the power can be cut at any of them afterwards.
import os, vfs


class Blocks:
    def __init__(self, data, size=512):
        self.size, self.data, self.log = size, data, []

    def readblocks(self, block, buffer, offset=0):
        start = block * self.size + offset
        buffer[:] = self.data[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=0):
        self.put(block * self.size + offset, bytes(buffer))

    def put(self, start, buffer):
        self.data[start : start + len(buffer)] = buffer
        self.log.append((start, buffer))

    def ioctl(self, op, argument):
        if op == 4:
            return len(self.data) // self.size
        if op == 5:
            return self.size
        if op == 6:
            self.put(argument * self.size, b"\xff" * self.size)
        return 0


def begin():
    global _before
    _before = bytes(_flash.data)
    _flash.log.clear()


_flash = Blocks(bytearray(b"\xff" * 131072))
vfs.VfsLfs2.mkfs(_flash)
vfs.mount(vfs.VfsLfs2(_flash), "/fl")
with open("/fl/main.py", "w") as file:
    file.write("print('the program before')\n")
begin()


def files(folder, inside=""):
    found = {}
    for entry in os.ilistdir(folder):
        path = folder + "/" + entry[0]
        if entry[1] == 0x4000:
            found.update(files(path, inside + entry[0] + "/"))
        else:
            with open(path) as file:
                found[inside + entry[0]] = file.read()
    return found


def check(root, programs, allowed):
    """Starts as the board would, twice, and returns the programs that start. Each is whole."""
    with open(root + "/main.py") as file:
        main = file.read()
    if not main.startswith("# flylead deploy: "):
        assert main == programs["before"]["main.py"], main
        return "before", "before"
    os.chdir(root)
    loader = {}
    exec(main[: main.rindex("_start()")], loader)
    started = loader["_pick"]()[0], loader["_pick"]()[0]
    os.chdir("/flash")
    for name in started:
        assert name in allowed, name
        found = files(root + "/.flylead/" + name)
        assert found == programs[name], (name, found.keys())
    return started


def cut(number, programs, old, new, seed=1):
    """Cuts the power at each write in turn, somewhere within its bytes; one of the two programs starts, whole."""
    seen = {}
    for at in range(number):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        at %= len(_flash.log)
        data = bytearray(_before)
        for start, buffer in _flash.log[:at]:
            data[start : start + len(buffer)] = buffer
        start, buffer = _flash.log[at]
        torn = buffer[: seed % (len(buffer) + 1)]
        data[start : start + len(torn)] = torn
        vfs.mount(vfs.VfsLfs2(Blocks(data)), "/cut")
        try:
            started = check("/cut", programs, (old, new))
        finally:
            os.chdir("/flash")
            vfs.umount("/cut")
        # One that is new is started once, and at a reset the old one comes back.
        assert started in ((old, old), (new, old), (new, new)), started
        seen[started] = seen.get(started, 0) + 1
    print(number, "cuts of", len(_flash.log), "writes:", seen)
