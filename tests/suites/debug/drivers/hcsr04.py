# Distances by ultrasound: the echo is timed at a pin.
from fakes import Pin


class Clock:
    """Microseconds that pass at each look."""

    def __init__(self, step):
        self.now = 0
        self.step = step

    def __call__(self):
        self.now += self.step
        return self.now


def time_pulse_us(pin, level, limit, clock):
    begun = clock()
    while pin.value() != level:
        if clock() - begun > limit:
            return -2
    begun = clock()
    while pin.value() == level:
        if clock() - begun > limit:
            return -1
    return clock() - begun


class HCSR04:
    def __init__(self, trigger, echo, clock, most=1000):
        self.trigger, self.echo, self.clock = trigger, echo, clock
        self.most = most

    def _pulse(self):
        self.trigger.on()
        self.trigger.off()
        time = time_pulse_us(self.echo, 1, self.most, self.clock)
        if time < 0:
            raise OSError("out of range" if time == -1 else "no echo")
        return time

    def distance_mm(self):
        return self._pulse() * 100 // 582

    def distance_cm(self):
        return self._pulse() / 2 / 29.1


def demo():
    clock = Clock(50)
    echo = Pin("echo", recorded=[0, 0, 1, 1, 1, 1, 0] + [0, 1, 1, 0] + [0] * 40)
    sensor = HCSR04(Pin("trigger"), echo, clock)
    print(sensor.distance_mm(), round(sensor.distance_cm(), 2))
    for _ in range(2):
        try:
            sensor.distance_mm()
        except OSError as error:
            print(error, clock.now)
        echo.level, echo.recorded = 1, []
