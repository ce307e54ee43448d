// Adapts the port's Python to that of a board: the port's own input() waits forever, because its stdin is a stub.

import { KEYBOARD, SCREEN } from "./devices.js";
import { UNLIMITED } from "./patch.js";

export const SETUP = `
def _setup():
    # asyncio is for what follows this, and finds the port's own modules now.
    import asyncio, builtins, gc, sys, time, _keyboard
    WHY = "the browser's board can only wait for input on a cross-origin isolated page"
    def readline(is_echoed=False):
        line = _keyboard.readline(is_echoed)
        if line is False:
            raise EOFError(WHY)
        return raised(line)
    # A program's traceback has the program's frames: on boards all of this is C. The frame of a bare raise adds none of its own.
    def hidden(function):
        def call(*args):
            try:
                return function(*args)
            except BaseException as error:
                error.__traceback__ = None
                raise
        return call
    # What Ctrl-C ends says so by None, and less than 0.
    def raised(answer):
        if answer is None or answer is INTERRUPTED:
            raise KeyboardInterrupt
        return answer
    INTERRUPTED = -1
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
        return raised(typed)
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
            if reads and raised(_keyboard.wait(0 if ready else timeout)):
                ready += reads
            return ready
        one.register = one.modify = hidden(register)
        one.unregister = hidden(unregister)
        one.poll = one.ipoll = hidden(wait)
        return one
    # MicroPython's class bodies do not see the function around them.
    class Object:
        pass
    def refuse(self, name):
        raise EOFError(WHY)
    class Stdin:
        def __iter__(self):
            return self
    Stdin.__next__ = hidden(lambda self: self.readline())
    class Sys:
        stdin = Stdin()
        stdout = Object()
    Select = Object()
    Select.poll, Select.POLLIN, Select.POLLOUT = hidden(poll), POLLIN, POLLOUT
    sys.modules["select"] = Select
    Sys.stdin.read = hidden(read)
    Sys.stdin.readline = hidden(lambda: readline() + "\\n")
    class Unreachable:
        pass
    Unreachable.__getattr__ = hidden(refuse)
    Sys.stdin.buffer = open("${KEYBOARD}", "rb") if _keyboard.waits else Unreachable()
    Sys.stdout.buffer = open("${SCREEN}", "wb")
    Sys.stdout.write = hidden(lambda text: Sys.stdout.buffer.write(text.encode()) and len(text))
    Sys.__getattr__ = hidden(lambda self, name: getattr(sys, name))
    builtins.input = hidden(input)
    one = sys.modules["sys"] = Sys()
    # dir() lists what an object has itself, and a function that is found in its class would be a method.
    for name in dir(sys):
        if name not in ("stdin", "stdout") and not name.startswith("__"):
            setattr(one, name, getattr(sys, name))
    # The port's own sleep cannot be ended.
    def copy(module):
        one = Object()
        for name in dir(module):
            if not name.startswith("__"):
                setattr(one, name, getattr(module, name))
        return one
    Time = copy(time)
    def sleep_ms(millis):
        raised(_keyboard.sleep(float(millis)))
    Time.sleep_ms = hidden(sleep_ms)
    Time.sleep = hidden(lambda seconds: sleep_ms(seconds * 1000.0))
    Time.sleep_us = hidden(lambda micros: sleep_ms(micros / 1000.0))
    sys.modules["time"] = Time
    # The port counts what it would add to the heap, if it might (gc_get_max_new_split in ports/webassembly/main.c).
    Gc = copy(gc)
    Gc.mem_free = hidden(lambda: gc.mem_free() - ADDED)
    ADDED = ${UNLIMITED}
    if _keyboard.heap:
        Gc.mem_free = hidden(lambda: _keyboard.free())
        Gc.mem_alloc = hidden(lambda: _keyboard.heap - _keyboard.free())
    sys.modules["gc"] = Gc
_setup()
del _setup
`;

/**
 * The port's asyncio lacks run(), because it leaves waiting to the page. On boards this is Python, too, and appears in
 * tracebacks.
 */
export const ASYNCIO = `
def _setup():
    import asyncio
    from time import sleep_ms
    core = asyncio.core
    ended = (core.CancelledError, Exception)
    def run_until_complete(main=None):
        main = main and core._promote_to_task(main)
        while True:
            while True:
                task = core._task_queue.peek()
                if not task:
                    core.cur_task = None
                    return
                wait = core.ticks_diff(task.ph_key, core.ticks())
                if wait <= 0:
                    break
                sleep_ms(wait)
            task = core.cur_task = core._task_queue.pop()
            try:
                thrown = task.data
                if thrown:
                    task.data = None
                    task.coro.throw(thrown)
                else:
                    task.coro.send(None)
            except ended as error:
                if task is main:
                    core.cur_task = None
                    if isinstance(error, StopIteration):
                        return error.value
                    raise error
                end(task, error, thrown)
    # As extmod/asyncio/core.py has it (MicroPython 1.29).
    def end(task, error, thrown):
        if task.state:
            is_awaited = False
            if task.state is True:
                task.state = None
            elif callable(task.state):
                task.state(task, error)
                task.state = False
                is_awaited = True
            else:
                while task.state.peek():
                    core._task_queue.push(task.state.pop())
                    is_awaited = True
                task.state = False
            if not is_awaited and not isinstance(error, (core.CancelledError, StopIteration)):
                core._task_queue.push(task)
            task.data = error
        elif task.state is None:
            # It is thrown a second time, into what has ended.
            task.data = core._exc_context["exception"] = thrown
            core._exc_context["future"] = task
            core.Loop.call_exception_handler(core._exc_context)
    core.Loop.run_until_complete = run_until_complete
    async def nothing():
        pass
    stopper = [None]
    def run_forever():
        stopper[0] = core.Task(nothing(), {})
        run_until_complete(stopper[0])
    def stop():
        if stopper[0]:
            core._task_queue.push(stopper[0])
            stopper[0] = None
    core.Loop.run_forever, core.Loop.stop, core.Loop.close = run_forever, stop, lambda: None
    def new_event_loop():
        core._task_queue = core.TaskQueue()
        return core.Loop
    new_event_loop()
    core.new_event_loop = asyncio.new_event_loop = new_event_loop
    core.run = asyncio.run = run_until_complete
_setup()
del _setup
`;

