// Modules for hardware that a browser cannot imitate: each part reports its name when it is used.

const network = String.raw`
from _pins import refuse
STA_IF, AP_IF = 0, 1
STAT_IDLE, STAT_CONNECTING, STAT_GOT_IP = 0, 1, 3

class WLAN:
    IF_STA, IF_AP = 0, 1
    def __init__(self, *rest, **named):
        refuse("WLAN")

class LAN:
    def __init__(self, *rest, **named):
        refuse("LAN")

def hostname(*rest):
    refuse("network")

import _pins
_pins.tidy(globals())
`;

const bluetooth = String.raw`
from _pins import refuse
FLAG_READ, FLAG_WRITE_NO_RESPONSE, FLAG_WRITE, FLAG_NOTIFY = 2, 4, 8, 16

class UUID:
    def __init__(self, value):
        self._value = value

class BLE:
    def __init__(self, *rest, **named):
        refuse("Bluetooth")

import _pins
_pins.tidy(globals())
`;

const rp2 = String.raw`
from _pins import refuse

class PIO:
    IN_LOW, IN_HIGH, OUT_LOW, OUT_HIGH, SHIFT_LEFT, SHIFT_RIGHT = 0, 1, 2, 3, 0, 1
    JOIN_NONE, JOIN_TX, JOIN_RX = 0, 1, 2
    def __init__(self, *rest, **named):
        refuse("PIO")

class StateMachine:
    def __init__(self, *rest, **named):
        refuse("PIO")

class DMA:
    def __init__(self, *rest, **named):
        refuse("DMA")

def asm_pio(*rest, **named):
    refuse("PIO")

def asm_pio_encode(*rest, **named):
    refuse("PIO")

class Flash:
    def __init__(self, *rest, **named):
        refuse("access to its flash")

def bootsel_button():
    return 0

def country(*code):
    return "XX"

import _pins
_pins.tidy(globals())
`;

const esp32 = String.raw`
import _pins
from _pins import refuse
WAKEUP_ALL_LOW, WAKEUP_ANY_HIGH = False, True

class RMT:
    def __init__(self, *rest, **named):
        refuse("RMT")

class ULP:
    def __init__(self, *rest, **named):
        refuse("ULP")

class NVS:
    def __init__(self, *rest, **named):
        refuse("NVS")

class Partition:
    def __init__(self, *rest, **named):
        refuse("partition")

class PCNT:
    def __init__(self, *rest, **named):
        refuse("PCNT")

def raw_temperature():
    return round(_pins.temperature() * 9 / 5 + 32)

def mcu_temperature():
    return round(_pins.temperature())

_pins.tidy(globals())
`;

const esp = String.raw`
LOG_NONE, LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG, LOG_VERBOSE = 0, 1, 2, 3, 4, 5

def osdebug(*level):
    pass

def flash_size():
    return 4194304
`;

const espnow = String.raw`
from _pins import refuse

class ESPNow:
    def __init__(self, *rest, **named):
        refuse("WLAN")

import _pins
_pins.tidy(globals())
`;

export const REFUSED = { network, bluetooth, rp2, esp32, esp, espnow };
