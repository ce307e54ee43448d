# Positions by NMEA sentences, a byte at a time: a state machine of methods.
from fakes import UART


class NMEA:
    def __init__(self):
        self.position = None
        self.time = ()
        self.bad = 0
        self._state = self._wait
        self._parsers = {"GGA": self._gga, "RMC": self._rmc}

    def feed(self, byte):
        self._state(chr(byte))

    def _wait(self, char):
        if char == "$":
            self._text = ""
            self._crc = 0
            self._state = self._body

    def _body(self, char):
        if char == "*":
            self._sum = ""
            self._state = self._check
        elif char in "\r\n" or len(self._text) > 80:
            self._state = self._wait
        else:
            self._text += char
            self._crc ^= ord(char)

    def _check(self, char):
        self._sum += char
        if len(self._sum) == 2:
            self._state = self._wait
            if int(self._sum, 16) == self._crc:
                fields = self._text.split(",")
                self._parsers.get(fields[0][2:], lambda _: None)(fields)
            else:
                self.bad += 1

    def _gga(self, fields):
        self.time = tuple(int(fields[1][at : at + 2]) for at in (0, 2, 4))
        if fields[6] != "0":
            self.position = self._degrees(*fields[2:4]), self._degrees(*fields[4:6])

    def _rmc(self, fields):
        self.position = None if fields[2] == "V" else self.position

    @staticmethod
    def _degrees(text, half):
        whole, minutes = divmod(float(text), 100)
        value = whole + minutes / 60
        return round(-value if half in "SW" else value, 4)


def demo():
    gga = b"$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,*47\r\n"
    uart = UART(gga[:30], gga[30:], b"noise$GPGSV,1*00\r\n$GPXX*", b"00$no end\n$GPRMC,1,V*2c", b"$" + b"x" * 90)
    nmea = NMEA()
    while uart.any():
        for byte in uart.read():
            nmea.feed(byte)
        print(nmea.time, nmea.position, nmea.bad)
