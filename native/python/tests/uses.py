"""Twenty things that scripts do with pyboard.py: `uses.py MODULE DEVICE FOLDER`. Their results are printed."""

import importlib
import os
import sys
import time

pyboard = importlib.import_module(sys.argv[1])
device, folder = sys.argv[2:]
here = os.path.join(folder, "here.txt")


def show(what, do):
    start = time.monotonic()
    try:
        print(what, repr(do()))
    except Exception as error:
        print(what, "raised", type(error).__name__, error.args if isinstance(error, OSError) else kind(error))
    took(what, start)


def took(what, start):
    print(f"{what}: {(time.monotonic() - start) * 1000:.2f} ms", file=sys.stderr)


def kind(error):
    """Returns an error's arguments, without the traceback's frames: the program that ran is named differently."""
    return [part.strip().splitlines()[-1] if isinstance(part, bytes) and part.strip() else part for part in error.args]


pieces = []
start = time.monotonic()
pyb = pyboard.Pyboard(device, 115200, wait=1)
took("open", start)
entering = time.monotonic()
pyb.enter_raw_repl(soft_reset=False)
took("enter", entering)
show("exec", lambda: pyb.exec("print('hello')"))
show("exec_", lambda: pyb.exec_(b"x = 6 * 7"))
show("keeps", lambda: pyb.exec_("print(x)"))
show("eval", lambda: pyb.eval("x + 1"))
show("parse", lambda: pyb.eval("[x, 'a', None]", parse=True))
show("raises", lambda: pyb.exec_("print(1)\n1/0"))
show("raw", lambda: pyb.exec_raw("print(2)"))
show("raw error", lambda: [bool(part) for part in pyb.exec_raw("print(3)\nx.y")])
show("follow", lambda: (pyb.exec_raw_no_follow("print(4)"), pyb.follow(5)))
show("consumer", lambda: pyb.exec_("print('ab')", data_consumer=pieces.append))
show("consumed", lambda: b"".join(pieces))
show("timeout", lambda: pyb.exec_("import time\nprint('slow')", timeout=5))
with open(here, "wb") as file:
    file.write(b"print('from a file')\n")
show("execfile", lambda: pyb.execfile(here))
show("fs_put", lambda: pyb.fs_put(here, "there.txt"))
show("fs_readfile", lambda: pyb.fs_readfile("there.txt"))
show("fs_get", lambda: (pyb.fs_get("there.txt", here + ".back"), open(here + ".back", "rb").read()))
show("fs_writefile", lambda: pyb.fs_writefile("more.txt", b"1\n2\n\xff"))
show("fs_exists", lambda: (pyb.fs_exists("more.txt"), pyb.fs_exists("missing.txt")))
show("fs_stat", lambda: pyb.fs_stat("more.txt").st_size)
show("fs_missing", lambda: pyb.fs_readfile("missing.txt"))
show("fs_listdir", lambda: sorted(e.name for e in pyb.fs_listdir("") if e.name in ("more.txt", "there.txt")))
show("fs_rm", lambda: (pyb.fs_rm("more.txt"), pyb.fs_rm("there.txt")))
show("fs_mkdir", lambda: (pyb.fs_mkdir("made"), pyb.fs_rmdir("made")))
show("get_time", lambda: pyb.get_time())
leaving = time.monotonic()
pyb.exit_raw_repl()
pyb.close()
took("leave", leaving)
took("all", start)
