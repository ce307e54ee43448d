# A stepper motor: generators of phases, which one that goes back is sent.
from fakes import Pin

FULL = (0b0011, 0b0110, 0b1100, 0b1001)
HALF = (0b0001, 0b0011, 0b0010, 0b0110, 0b0100, 0b1100, 0b1000, 0b1001)


def phases(sequence):
    at = 0
    while True:
        step = yield sequence[at]
        at = (at + (1 if step is None else step)) % len(sequence)


class Stepper:
    def __init__(self, *pins, half=False):
        self.pins = pins
        self.steps = 0
        self._phases = phases(HALF if half else FULL)
        self._apply(next(self._phases))

    def _apply(self, phase):
        for bit, pin in enumerate(self.pins):
            level = phase >> bit & 1
            if pin.level != level:
                pin(level)

    def move(self, count):
        direction = (count > 0) - (count < 0)
        for _ in range(abs(count)):
            self._apply(self._phases.send(direction))
            self.steps += direction
        return self.steps

    def close(self):
        self._phases.close()
        self._apply(0)


def ramp(start, end, step):
    yield from range(start, end, step)
    return end


def with_end(generator):
    end = yield from generator
    yield end


def demo():
    motor = Stepper(*(Pin("p%d" % number, Pin.OUT) for number in range(4)), half=True)
    print(motor.move(3), motor.move(-2), motor.move(0))
    motor.close()
    print(list(with_end(ramp(2, 9, 3))))
