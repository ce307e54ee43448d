// The module \`machine\`: pins, and what is made of single ones.

export const MACHINE = String.raw`
import sys, time
from time import ticks_ms, ticks_add, ticks_diff
import _pins
from _pins import PICO, show, cells, number_of, refuse
from _buses import I2C, SoftI2C, SPI, SoftSPI, UART

_states = {}

class Pin:
    if PICO:
        IN, OUT, OPEN_DRAIN, ALT, ANALOG = 0, 1, 2, 3, 4
        PULL_UP, PULL_DOWN = 1, 2
        IRQ_FALLING, IRQ_RISING = 4, 8
    else:
        IN, OUT, OPEN_DRAIN = 1, 3, 7
        PULL_DOWN, PULL_UP = 1, 2
        IRQ_RISING, IRQ_FALLING = 1, 2
        WAKE_LOW, WAKE_HIGH = 4, 5
        DRIVE_0, DRIVE_1, DRIVE_2, DRIVE_3 = 0, 1, 2, 3

    @_pins.hidden
    def __new__(cls, id, *rest, **named):
        number = id._number if isinstance(id, Pin) else number_of(id)
        if number not in _states:
            one = object.__new__(cls)
            one._number = number
            one._mode = one._pull = one._handler = None
            one._level = one._flags = one._trigger = 0
            one._drives = False
            one._cell = _pins.BUTTON + number
            one._out = "out:%d" % number
            one._seen = cells[one._cell]
            _states[number] = one
        return _states[number]

    def __init__(self, id, mode=-1, pull=-1, *, value=None, drive=0, alt=-1, hold=None):
        if mode != -1 or pull != -1 or value is not None:
            self.init(mode, pull, value=value)

    def init(self, mode=-1, pull=-1, *, value=None, drive=0, alt=-1, hold=None):
        if mode == Pin.OUT and self._number in _pins.INPUTS_ALONE:
            raise ValueError("pin can only be input")
        if mode != -1 and mode is not None:
            self._mode = mode
            self._drives = mode in (Pin.OUT, Pin.OPEN_DRAIN)
        if pull != -1:
            self._pull = pull
        if value is not None:
            self._level = 1 if value else 0
        self._show()

    def _show(self):
        show("pwm:%d" % self._number, "")
        show("out:%d" % self._number, str(self._level) if self._drives else "")
        show("in:%d" % self._number, "" if self._drives or self._mode is None else "up" if self._pull == Pin.PULL_UP else "down")

    def _input(self):
        pressed = cells[self._cell] & 1
        return 1 - pressed if self._pull == Pin.PULL_UP else pressed

    def value(self, value=None):
        if value is None:
            return self._level if self._drives else self._input()
        level = 1 if value else 0
        if level != self._level:
            self._level = level
            if self._drives:
                show(self._out, "1" if level else "0")
                self._edge(level)

    def __call__(self, *value):
        return self.value(*value)

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

    high, low = on, off

    def toggle(self):
        self.value(1 - self._level)

    def mode(self, mode=None):
        if mode is None:
            return self._mode
        self.init(mode)

    def pull(self, pull=-1):
        if pull == -1:
            return self._pull
        self.init(pull=pull)

    def drive(self, drive=0):
        return drive

    def irq(self, *rest, **named):
        if rest or named:
            self._attend(*rest, **named)
        return _Irq(self)

    def _attend(self, handler=None, trigger=None, *, priority=1, wake=None, hard=False):
        self._trigger = Pin.IRQ_FALLING | Pin.IRQ_RISING if trigger is None else trigger
        self._handler = handler
        self._seen = cells[self._cell]
        if self in _pins.watched:
            _pins.watched.remove(self)
        if handler:
            _pins.watched.append(self)

    # A press that was short has gone up and down: each edge counts.
    def _look(self):
        seen, self._seen = self._seen, cells[self._cell]
        if self._drives:
            return
        for count in range(max(seen + 1, self._seen - 7), self._seen + 1):
            pressed = count & 1
            self._edge(1 - pressed if self._pull == Pin.PULL_UP else pressed)

    def _edge(self, level):
        flag = Pin.IRQ_RISING if level else Pin.IRQ_FALLING
        if self._handler and self._trigger & flag:
            _pins.pending.append((self, flag))
            _pins.due(0)

    def __repr__(self):
        names = {Pin.IN: "IN", Pin.OUT: "OUT", Pin.OPEN_DRAIN: "OPEN_DRAIN"}
        if not PICO:
            return "Pin(%d)" % self._number
        return "Pin(GPIO%d, mode=%s%s)" % (self._number, names.get(self._mode, "IN"), {Pin.PULL_UP: ", pull=PULL_UP", Pin.PULL_DOWN: ", pull=PULL_DOWN"}.get(self._pull, ""))

if PICO:
    class _Board:
        LED = Pin(25)
    for _number in range(30):
        setattr(_Board, "GP%d" % _number, Pin(_number))
    Pin.board = _Board
else:
    del Pin.high, Pin.low

class _Irq:
    def __init__(self, pin):
        self._pin = pin

    def flags(self):
        return self._pin._flags

    def trigger(self, trigger=None):
        if trigger is not None:
            self._pin._trigger = trigger
        return self._pin._trigger

    def __call__(self):
        if self._pin._handler:
            self._pin._handler(self._pin)

class Signal:
    def __init__(self, pin, *rest, invert=False, **named):
        self._pin = pin if isinstance(pin, Pin) else Pin(pin, *rest, **named)
        self._invert = bool(invert)

    def value(self, value=None):
        if value is None:
            return self._pin.value() ^ self._invert
        self._pin.value(bool(value) ^ self._invert)

    __call__ = value

    def on(self):
        self.value(1)

    def off(self):
        self.value(0)

class PWM:
    def __init__(self, dest, freq=None, duty=None, *, duty_u16=None, duty_ns=None, invert=False):
        self._pin = dest if isinstance(dest, Pin) else Pin(dest)
        self._freq = 5000
        self._duty = 0 if PICO else 32768
        self._invert = invert
        self.init(freq=freq, duty=duty, duty_u16=duty_u16, duty_ns=duty_ns)

    def init(self, *, freq=None, duty=None, duty_u16=None, duty_ns=None, invert=None):
        if freq is not None:
            if not 1 <= freq <= 62500000:
                raise ValueError("freq out of range")
            self._freq = int(freq)
        if duty is not None:
            if PICO:
                raise TypeError("extra keyword arguments given")
            if not 0 <= duty <= 1023:
                raise ValueError("duty must be from 0 to 1023")
            self._duty = int(duty) * 65535 // 1023
        if duty_u16 is not None:
            if not PICO and not 0 <= duty_u16 <= 65535:
                raise ValueError("duty_u16 must be from 0 to 65535")
            self._duty = max(0, min(65535, int(duty_u16)))
        if duty_ns is not None:
            if not 0 <= duty_ns * self._freq <= 1000000000:
                raise ValueError("duty larger than period" if PICO else "duty_ns must be from 0 to %d ns" % (1000000000 // self._freq))
            self._duty = duty_ns * self._freq * 65535 // 1000000000
        if invert is not None:
            self._invert = invert
        show("out:%d" % self._pin._number, "")
        show("in:%d" % self._pin._number, "")
        show("pwm:%d" % self._pin._number, "%d,%d" % (65535 - self._duty if self._invert else self._duty, self._freq))

    def deinit(self):
        show("pwm:%d" % self._pin._number, "")

    def freq(self, freq=None):
        if freq is None:
            return self._freq
        self.init(freq=freq)

    def duty_u16(self, duty=None):
        if duty is None:
            return self._duty
        self.init(duty_u16=duty)

    def duty_ns(self, duty=None):
        if duty is None:
            return self._duty * 1000000000 // 65535 // self._freq
        self.init(duty_ns=duty)

    if not PICO:
        def duty(self, duty=None):
            if duty is None:
                return (self._duty * 1023 + 32767) // 65535
            self.init(duty=duty)

class ADC:
    if PICO:
        CORE_TEMP = 4
    else:
        ATTN_0DB, ATTN_2_5DB, ATTN_6DB, ATTN_11DB = 0, 1, 2, 3
        WIDTH_9BIT, WIDTH_10BIT, WIDTH_11BIT, WIDTH_12BIT = 9, 10, 11, 12

    def __init__(self, pin, *, atten=0, sample_ns=0):
        self._atten, self._bits = atten, 12
        self._channel = None
        if PICO and isinstance(pin, int) and 0 <= pin <= 4:
            self._channel = pin
            pin = 26 + pin
        number = pin._number if isinstance(pin, Pin) else 29 if self._channel == 4 else number_of(pin)
        if number not in ((26, 27, 28, 29) if PICO else (0, 2, 4, 12, 13, 14, 15, 25, 26, 27, 32, 33, 34, 35, 36, 37, 38, 39)):
            raise ValueError("Pin doesn't have ADC capabilities" if PICO else "invalid pin")
        self._number = number
        self._cell = _pins.SLIDER + number
        if self._channel != 4:
            show("in:%d" % number, "")
            show("adc:%d" % number, "1")

    # From 0 to 1.
    def _share(self):
        if self._channel == 4:
            return (0.706 - (_pins.temperature() - 27) * 0.001721) / 3.3
        return cells[self._cell] / 65535

    # As the twelve bits of a converter fill sixteen.
    def read_u16(self):
        value = round(self._share() * 65535) if self._channel == 4 else cells[self._cell]
        return value & 0xFFF0 | value >> 12

    if not PICO:
        def read(self):
            return cells[self._cell] >> 16 - self._bits

        def read_uv(self):
            return round(self._share() * (950000, 1250000, 1750000, 2450000)[self._atten])

        def atten(self, atten):
            self._atten = atten

        def width(self, bits):
            self._bits = bits

_timers = {}

class Timer:
    ONE_SHOT, PERIODIC = 0, 1

    # An ESP32 has four, each of which is the same one for everybody.
    def __new__(cls, id=-1, **named):
        if id in _timers:
            return _timers[id]
        one = object.__new__(cls)
        one._callback = None
        one._period, one._began = 1, ticks_ms()
        if id >= 0 and not PICO:
            _timers[id] = one
        return one

    def __init__(self, id=-1, **named):
        if named:
            self.init(**named)

    def init(self, *, mode=1, freq=-1, period=-1, callback=None, tick_hz=1000, hard=False):
        self.deinit()
        self._mode, self._callback = mode, callback
        self._period = max(1, int(1000 / freq) if freq > 0 else period * 1000 // tick_hz)
        self._began = ticks_ms()
        self._at = ticks_add(self._began, self._period)
        _pins.timers.append(self)
        _pins.arm()

    def deinit(self):
        if self in _pins.timers:
            _pins.timers.remove(self)

    def value(self):
        return ticks_diff(ticks_ms(), self._began) % self._period

    def _fire(self, now):
        if self._mode == Timer.ONE_SHOT:
            self.deinit()
        else:
            self._at = ticks_add(self._at, self._period)
            if ticks_diff(self._at, now) <= 0:
                self._at = ticks_add(now, self._period)
        if self._callback:
            _pins.call(self._callback, self)

class RTC:
    _offset = 0

    def __init__(self, id=0, *rest, **named):
        pass

    def datetime(self, when=None):
        if when is None:
            year, month, day, hour, minute, second, weekday, _ = time.localtime(time.time() + RTC._offset)
            return (year, month, day, weekday, hour, minute, second, 0)
        year, month, day, _, hour, minute, second, _ = when
        RTC._offset = time.mktime((year, month, day, hour, minute, second, 0, 0)) - time.time()

    def init(self, when):
        self.datetime(when)

    def memory(self, data=None):
        if data is None:
            return RTC._memory
        RTC._memory = bytes(data)

    _memory = b""

_watchdogs = []

class WDT:
    # There is one, which whoever asks for it again feeds.
    def __new__(cls, id=0, timeout=5000):
        if not _watchdogs:
            _watchdogs.append(object.__new__(cls))
        return _watchdogs[0]

    def __init__(self, id=0, timeout=5000):
        if not 1 <= timeout <= (8388 if PICO else 1 << 31):
            raise ValueError("timeout exceeds 8388" if PICO else "WDT timeout too short")
        self._timeout = timeout
        self.feed()
        if self not in _pins.timers:
            _pins.timers.append(self)
        _pins.arm()

    def feed(self):
        self._at = ticks_add(ticks_ms(), self._timeout)

    def _fire(self, now):
        _pins.timers.remove(self)
        print("the watchdog was not fed for %d ms, and stops the program" % self._timeout)
        raise KeyboardInterrupt

if not PICO:
    class TouchPad:
        def __init__(self, pin):
            self._pin = pin
            show("in:%d" % pin._number, "")
            show("touch:%d" % pin._number, "1")

        def read(self):
            return 80 if cells[self._pin._cell] & 1 else 600

        def config(self, value):
            pass

    class DAC:
        def __init__(self, pin):
            if pin._number not in (25, 26):
                raise ValueError("invalid Pin for DAC")
            self._pin = pin
            self.write(0)

        def write(self, value):
            if not 0 <= value <= 255:
                raise ValueError("value out of range")
            show("in:%d" % self._pin._number, "")
            show("out:%d" % self._pin._number, "")
            show("pwm:%d" % self._pin._number, "%d,0" % (value * 257))

class _Refused:
    def __init__(self, name):
        self._name = name

    def __call__(self, *rest, **named):
        refuse(self._name)

    def __getattr__(self, name):
        return 0 if name.isupper() or name.startswith("__") else refuse(self._name)

I2S, SDCard, USBDevice = _Refused("I2S"), _Refused("SD card"), _Refused("USB device")
PWRON_RESET, WDT_RESET = (1, 3)
if not PICO:
    HARD_RESET, DEEPSLEEP_RESET, SOFT_RESET = 2, 4, 5
    PIN_WAKE, EXT0_WAKE, EXT1_WAKE, TIMER_WAKE, TOUCHPAD_WAKE, ULP_WAKE = 2, 2, 3, 4, 5, 6
_freq = [125000000 if PICO else 160000000]

def freq(hz=None):
    if hz is None:
        return _freq[0]
    _freq[0] = hz

def unique_id():
    return b"\xe6\x60\x00\x00\x00\x00\x00\x01" if PICO else b"\x24\x0a\xc4\x00\x00\x01"

def reset():
    raise SystemExit

soft_reset = bootloader = reset

def reset_cause():
    return PWRON_RESET

def wake_reason():
    return 0

def idle():
    time.sleep_ms(1)

def lightsleep(millis=None):
    time.sleep_ms(0 if millis is None else millis)

def deepsleep(millis=None):
    lightsleep(millis)
    raise SystemExit

sleep = lightsleep

def disable_irq():
    return 0

def enable_irq(state):
    pass

def time_pulse_us(pin, level, timeout=1000000):
    end = ticks_add(ticks_ms(), max(1, timeout // 1000))
    def until(wanted):
        while (pin.value() == level) != wanted:
            if ticks_diff(end, ticks_ms()) <= 0:
                return False
            time.sleep_ms(1)
        return True
    if not until(True):
        return -2
    began = ticks_ms()
    return ticks_diff(ticks_ms(), began) * 1000 if until(False) else -1

def bitstream(pin, encoding, timing, buffer):
    show("in:%d" % pin._number, "")
    show("out:%d" % pin._number, "")
    show("neo:%d" % pin._number, "".join("%02x%02x%02x" % (buffer[at + 1], buffer[at], buffer[at + 2]) for at in range(0, min(len(buffer), 1536) - 2, 3)))

_pins.tidy(globals())
`;
