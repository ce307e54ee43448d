// Foundation of `machine`: pins with their states, due events, and input from a person.

export const CORE = String.raw`
import sys
from time import ticks_ms, ticks_add, ticks_diff
from array import array
from _keyboard import show, cell, attend, due
from _kind import PICO

BUTTON, SLIDER, TEMPERATURE, HUMIDITY = 1, 65, 129, 130
LED = 25 if PICO else 2
# Read without a call into JavaScript, which needs memory.
cells = array("i", (cell(i) for i in range(131)))
USABLE = range(30) if PICO else tuple(range(24)) + (25, 26, 27) + tuple(range(32, 40))
INPUTS_ALONE = () if PICO else (34, 35, 36, 37, 38, 39)

def hidden(function):
    def call(*args, **named):
        try:
            return function(*args, **named)
        except BaseException as error:
            error.__traceback__ = None
            raise
    return call

# What a program may call a million times is to need no memory: this machine gets none back before the program ends.
HOT = ("__call__", "value", "on", "off", "high", "low", "toggle", "read", "read_u16", "read_uv", "feed", "any")

# A program's traceback has the program's frames: on boards all of this is C.
def tidy(names):
    function = type(tidy)
    for name, value in list(names.items()):
        if isinstance(value, function) and names is not globals():
            names[name] = hidden(value)
        elif isinstance(value, type):
            for inner in list(value.__dict__):
                one = value.__dict__[inner]
                if isinstance(one, function) and (inner == "__init__" or inner[0] != "_") and inner not in HOT:
                    setattr(value, inner, hidden(one))

def refuse(name):
    raise OSError("the board in the page has no %s: connect a real board for that" % name)

def number_of(id):
    if isinstance(id, str):
        for start in ("GPIO", "GP"):
            if id.startswith(start) and id[len(start):].isdigit():
                id = int(id[len(start):])
                break
        else:
            if id == "LED" and PICO:
                return LED
            raise ValueError("unknown named pin \"%s\"" % id)
    if not isinstance(id, int) or id not in USABLE:
        raise ValueError("invalid pin")
    return id

# What is due

timers = []
watched = []
pending = []

def soonest():
    if pending:
        return 0
    waits = [ticks_diff(one._at, ticks_ms()) for one in timers]
    return max(0, min(waits)) if waits else -1

def arm():
    due(soonest())

def call(work, argument):
    try:
        work(argument)
    except Exception as error:
        sys.print_exception(error)

def look_and_fire(has_input):
    if has_input:
        for i in range(len(cells)):
            cells[i] = cell(i)
    for pin in list(watched):
        pin._look()
    while pending:
        pin, pin._flags = pending.pop(0)
        if pin._handler:
            call(pin._handler, pin)
    now = ticks_ms()
    for one in list(timers):
        if one in timers and ticks_diff(one._at, now) <= 0:
            one._fire(now)
    return soonest()

def dispatch(has_input):
    try:
        return look_and_fire(has_input)
    except KeyboardInterrupt:
        return -2
    except SystemExit:
        return -3

attend(dispatch)

def temperature():
    return cells[TEMPERATURE] / 10

def humidity():
    return cells[HUMIDITY] / 10
`;
