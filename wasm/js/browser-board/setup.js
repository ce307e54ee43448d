// What makes the port's Python that of a board: the port's own input() waits for ever, for its stdin is a stub.

import { KEYBOARD, SCREEN } from "./devices.js";

export const SETUP = `
def _setup():
    import builtins, sys, _keyboard
    WHY = "the browser's board can only wait for input on a cross-origin isolated page"
    def readline(is_echoed=False):
        line = _keyboard.readline(is_echoed)
        if line is False:
            raise EOFError(WHY)
        return line
    def input(prompt=""):
        print(prompt, end="")
        return readline(True)
    def read(count=-1):
        if count < 0:
            return readline() + "\\n"
        return "".join(letter() for _ in range(count))
    def letter():
        typed = _keyboard.letter()
        if typed is False:
            raise EOFError(WHY)
        return typed
    POLLIN, POLLOUT = 1, 4
    def poll():
        asked = []
        one = Object()
        def unregister(stream):
            asked[:] = [pair for pair in asked if pair[0] is not stream]
        def register(stream, events=POLLIN | POLLOUT):
            unregister(stream)
            asked.append((stream, events))
        def wait(timeout=-1, flags=0):
            ready = [(stream, POLLOUT) for stream, events in asked if events & POLLOUT]
            reads = [(stream, POLLIN) for stream, events in asked if events & POLLIN]
            if reads and _keyboard.wait(0 if ready else timeout):
                ready += reads
            return ready
        one.register = one.modify = register
        one.unregister = unregister
        one.poll = one.ipoll = wait
        return one
    # MicroPython's class bodies do not see the function around them.
    class Object:
        pass
    def refuse(self, name):
        raise EOFError(WHY)
    class Sys:
        stdin = Object()
        stdout = Object()
    Select = Object()
    Select.poll, Select.POLLIN, Select.POLLOUT = poll, POLLIN, POLLOUT
    sys.modules["select"] = Select
    Sys.stdin.read = read
    Sys.stdin.readline = lambda: readline() + "\\n"
    class Unreachable:
        pass
    Unreachable.__getattr__ = refuse
    Sys.stdin.buffer = open("${KEYBOARD}", "rb") if _keyboard.waits else Unreachable()
    Sys.stdout.buffer = open("${SCREEN}", "wb")
    Sys.stdout.write = lambda text: Sys.stdout.buffer.write(text.encode()) and len(text)
    Sys.__getattr__ = lambda self, name: getattr(sys, name)
    builtins.input = input
    sys.modules["sys"] = Sys()
_setup()
del _setup
`;

