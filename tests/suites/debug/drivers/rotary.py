# A rotary encoder at two pins with interrupts.
from fakes import Pin

_STEPS = (0, -1, 1, 0, 1, 0, 0, -1, -1, 0, 0, 1, 0, 1, -1, 0)


class Rotary:
    WRAP, BOUNDED, UNBOUNDED = range(3)

    def __init__(self, clk, dt, low=0, high=10, mode=UNBOUNDED):
        self._pins = clk, dt
        self._low, self._high, self._mode = low, high, mode
        self._value = low
        self._state = 0
        self._listeners = []
        for pin in self._pins:
            pin.irq(self._turned)

    def add_listener(self, listener):
        self._listeners.append(listener)

    def remove_listener(self, listener):
        if listener not in self._listeners:
            raise ValueError("{} is not a listener".format(listener))
        self._listeners.remove(listener)

    def value(self):
        return self._value

    def _turned(self, pin):
        now = self._pins[0].level << 1 | self._pins[1].level
        step = _STEPS[self._state << 2 | now]
        self._state = now
        if step:
            self._value = self._limited(self._value + step)
            for listener in self._listeners:
                listener(self._value)

    def _limited(self, value):
        if self._mode == self.WRAP:
            span = self._high - self._low + 1
            return self._low + (value - self._low) % span
        if self._mode == self.BOUNDED:
            return max(self._low, min(self._high, value))
        return value


def turn(clk, dt, backwards=False):
    first, second = (dt, clk) if backwards else (clk, dt)
    for level in (1, 0):
        first.edge(level)
        second.edge(level)


def demo():
    for mode in range(3):
        clk, dt = Pin("clk"), Pin("dt")
        knob = Rotary(clk, dt, 0, 5, mode)
        seen = []
        heard = seen.append
        knob.add_listener(heard)
        turn(clk, dt)
        knob.remove_listener(heard)
        turn(clk, dt)
        turn(clk, dt, backwards=True)
        print(mode, seen, knob.value())
        try:
            knob.remove_listener(None)
        except ValueError as error:
            print(error)
