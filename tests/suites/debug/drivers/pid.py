# A controller of a heater: properties, a sensor that is read, and a limit that is kept.
from fakes import ADC, PWM


class PID:
    def __init__(self, kp, ki, kd, setpoint=0, limits=(None, None)):
        self.gains = kp, ki, kd
        self._limits = (None, None)
        self._integral = 0
        self._last = None
        self.setpoint = setpoint
        self.limits = limits
        self.automatic = True

    def __call__(self, value, dt=1):
        if not self.automatic:
            return self._output
        error = self.setpoint - value
        kp, ki, kd = self.gains
        self._integral = self._clamp(self._integral + ki * error * dt)
        slope = 0 if self._last is None else (value - self._last) / dt
        self._last = value
        self._output = self._clamp(kp * error + self._integral - kd * slope)
        return self._output

    def _clamp(self, value):
        low, high = self._limits
        if high is not None and value > high:
            return high
        elif low is not None and value < low:
            return low
        return value

    @property
    def limits(self):
        return self._limits

    @limits.setter
    def limits(self, limits):
        low, high = limits
        if None not in limits and high < low:
            raise ValueError("the low limit exceeds the high one")
        self._limits = low, high
        self._integral = self._clamp(self._integral)


class Heater:
    def __init__(self, adc, pwm, pid):
        self.adc, self.pwm, self.pid = adc, pwm, pid

    def degrees(self):
        return self.adc.read_u16() * 100 / 65535

    def step(self):
        degrees = self.degrees()
        power = self.pid(degrees)
        self.pwm.duty_u16(int(power * 655.35))
        return degrees, power


def demo():
    pid = PID(5, 0.5, 1, setpoint=50, limits=(0, 100))
    heater = Heater(ADC(13107, 26214, 32000, 39321, 33000), PWM("heater"), pid)
    for _ in range(4):
        print("%.2f %.2f" % heater.step())
    pid.automatic = False
    print("%.2f" % heater.step()[1], pid.limits)
    try:
        pid.limits = (1, 0)
    except ValueError as error:
        print(error)
