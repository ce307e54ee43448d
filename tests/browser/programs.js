/**
 * Programs in the manner of the makers' quick references for the RP2 and the ESP32, by the headings there. `drawn` is what is seen of a part
 * at the end (`board` is the LED on the board); `prints` is a line of the output; `does` is what a person does once it has printed "now";
 * `refuses` is the error that a program ends with. No part is drawn but those.
 */

const press = (pin) => async (page) => {
  await page.locator(`[data-part="in:${pin}"] button`).focus();
  await page.keyboard.down(" ");
  await page.keyboard.up(" ");
};
const slide = (part, value) => (page) => page.locator(`[data-part="${part}"] input`).first().fill(String(value));

/** @type {Record<"pico" | "esp32", readonly { heading: string, program: string, drawn?: Record<string, string>, prints?: string, refuses?: string, does?: (page: import("playwright-core").Page) => Promise<void> }[]>} */
export const PROGRAMS = {
  pico: [
    { heading: "General board control", program: "import machine\nmachine.freq(240_000_000)\nprint(machine.freq(), len(machine.unique_id()))", prints: "240000000 8" },
    { heading: "Delay and timing", program: "import time\nbegan = time.ticks_ms()\ntime.sleep_ms(20)\ntime.sleep_us(10)\nprint(20 <= time.ticks_diff(time.ticks_ms(), began) < 1000)", prints: "True" },
    { heading: "Timers", program: "from machine import Pin, Timer\nimport time\nled = Pin(15, Pin.OUT)\ndef tick(timer):\n    led.toggle()\ntimer = Timer(period=20, mode=Timer.PERIODIC, callback=tick)\nwhile led.value() == 0:\n    pass\ntimer.deinit()\ntime.sleep_ms(60)\nprint('stays', led.value())", prints: "stays 1", drawn: { "out:15": "LED at GP15: on" } },
    { heading: "Timers: once", program: "from machine import Pin, Timer\nimport time\nled = Pin(16, Pin.OUT, value=1)\nTimer(mode=Timer.ONE_SHOT, period=30, callback=lambda timer: led.off())\ntime.sleep_ms(200)", drawn: { "out:16": "LED at GP16: off" } },
    { heading: "Timers: on after the program", program: "from machine import Pin, Timer\nled = Pin('LED', Pin.OUT)\nTimer(mode=Timer.ONE_SHOT, period=100, callback=lambda timer: led.on())\nprint('ended', led.value())", prints: "ended 0", drawn: { board: "Pico, LED on the board: on" } },
    { heading: "Pins and GPIO: output", program: "from machine import Pin\np0 = Pin(0, Pin.OUT)\np0.on()\np0.off()\np0.value(1)\np4 = Pin(4, Pin.OUT, value=1)\np4.low()", drawn: { "out:0": "LED at GP0: on", "out:4": "LED at GP4: off" } },
    { heading: "Pins and GPIO: input", program: "from machine import Pin\nimport time\np2 = Pin(2, Pin.IN, Pin.PULL_UP)\nprint('now', p2.value())\ncount = 0\np2.irq(lambda pin: globals().update(count=count + 1), Pin.IRQ_FALLING)\nwhile count == 0:\n    time.sleep_ms(5)\nprint('pressed', count)", does: press(2), prints: "pressed 1", drawn: { "in:2": "Button at GP2" } },
    { heading: "Pins and GPIO: interrupts", program: "from machine import Pin\nedges = []\ndef changed(pin):\n    edges.append(pin.irq().flags())\nbutton = Pin('GP3', Pin.IN, Pin.PULL_DOWN)\nbutton.irq(changed, Pin.IRQ_RISING | Pin.IRQ_FALLING)\nprint('now')\nwhile len(edges) < 2:\n    pass\nprint(edges == [Pin.IRQ_RISING, Pin.IRQ_FALLING] or edges)", does: press(3), drawn: { "in:3": "Button at GP3" } },
    { heading: "UART", program: "from machine import UART, Pin\nuart = UART(1, baudrate=9600, tx=Pin(4), rx=Pin(5))\nuart.write('hello')\nprint(uart.read(5))", prints: "b'hello'" },
    { heading: "PWM", program: "from machine import Pin, PWM\npwm = PWM(Pin(15), freq=2000, duty_u16=32768)\nprint(pwm.freq(), pwm.duty_u16())\npwm.freq(1000)\npwm.duty_u16(16384)", prints: "2000 32768", drawn: { "pwm:15": "LED at GP15: 25 %, 1000 Hz" } },
    { heading: "PWM: a pulse in nanoseconds", program: "from machine import Pin, PWM\nservo = PWM(Pin(17))\nservo.freq(50)\nservo.duty_ns(1_500_000)\noff = PWM(Pin(18))\noff.deinit()", drawn: { "pwm:17": "LED at GP17: 7 %, 50 Hz" } },
    { heading: "ADC", program: "from machine import ADC, Pin\nimport time\nadc = ADC(Pin(26))\nprint('now')\nwhile adc.read_u16() < 60000:\n    time.sleep_ms(5)\nprint('high', ADC(4).read_u16() // 1000)", does: slide("adc:26", 65535), prints: "high 14", drawn: { "adc:26": "3.30 V" } },
    { heading: "Software SPI bus", program: "from machine import Pin, SoftSPI\nspi = SoftSPI(baudrate=100_000, polarity=1, phase=0, sck=Pin(0), mosi=Pin(2), miso=Pin(4))\nbuf = bytearray(4)\nspi.write_readinto(b'1234', buf)\nprint(bytes(buf), spi.read(2, 0xff))", prints: "b'1234' b'\\xff\\xff'" },
    { heading: "Hardware SPI bus", program: "from machine import Pin, SPI\nspi = SPI(1, 10_000_000, sck=Pin(14), mosi=Pin(15), miso=Pin(12))\ncs = Pin(13, Pin.OUT, value=1)\ncs(0)\nspi.write(b'12345')\ncs(1)", drawn: { "out:13": "LED at GP13: on" } },
    { heading: "Software I2C bus", program: "from machine import Pin, SoftI2C\ni2c = SoftI2C(scl=Pin(5), sda=Pin(4), freq=100_000)\nprint(i2c.scan())\ni2c.writeto_mem(0x50, 16, b'kept')\nprint(i2c.readfrom_mem(0x50, 16, 4))", prints: "b'kept'" },
    { heading: "Hardware I2C bus, with a display", program: "from machine import Pin, I2C\nimport ssd1306\ni2c = I2C(0, scl=Pin(9), sda=Pin(8), freq=400_000)\ndisplay = ssd1306.SSD1306_I2C(128, 64, i2c)\ndisplay.fill_rect(10, 10, 20, 5, 1)\ndisplay.pixel(127, 63, 1)\ndisplay.show()", drawn: { "oled:3c": "Display at I2C: 101 dots are lit" } },
    { heading: "Real time clock", program: "from machine import RTC\nrtc = RTC()\nrtc.datetime((2017, 8, 23, 2, 12, 48, 0, 0))\nprint(rtc.datetime()[:6])", prints: "(2017, 8, 23, 2, 12, 48)" },
    { heading: "WDT", program: "from machine import WDT\nimport time\nwdt = WDT(timeout=500)\nfor _ in range(3):\n    time.sleep_ms(300)\n    wdt.feed()\nprint('fed')\ntime.sleep(20)", prints: "the watchdog was not fed for 500 ms", refuses: "stopped in line 9" },
    { heading: "OneWire driver", program: "from machine import Pin\nimport time, onewire, ds18x20\nds = ds18x20.DS18X20(onewire.OneWire(Pin(12)))\nroms = ds.scan()\nprint('now', len(roms))\nwhile True:\n    ds.convert_temp()\n    time.sleep_ms(20)\n    if ds.read_temp(roms[0]) == 40.0:\n        break\nprint('warm')", does: slide("ds:12", 40), prints: "warm", drawn: { "ds:12": "40.0 °C" } },
    { heading: "NeoPixel driver", program: "from machine import Pin\nfrom neopixel import NeoPixel\nnp = NeoPixel(Pin(0), 8)\nnp[0] = (255, 255, 255)\nnp[1] = (0, 128, 0)\nnp.write()\nr, g, b = np[0]\nprint(r, g, b, len(np))", prints: "255 255 255 8", drawn: { "neo:0": "NeoPixels at GP0: #ffffff #008000 dark dark dark dark dark dark" } },
    { heading: "PIO", program: "import rp2\n@rp2.asm_pio(set_init=rp2.PIO.OUT_LOW)\ndef blink():\n    pass", refuses: "the board in the page has no PIO" },
    { heading: "WLAN", program: "import network\nwlan = network.WLAN(network.STA_IF)", refuses: "the board in the page has no WLAN" },
  ],
  esp32: [
    { heading: "General board control", program: "import machine, esp, esp32\nmachine.freq(240000000)\nesp.osdebug(None)\nprint(machine.freq(), esp32.raw_temperature())", prints: "240000000 71" },
    { heading: "Networking: WLAN", program: "import network\nnic = network.WLAN(network.WLAN.IF_STA)\nnic.active(True)", refuses: "the board in the page has no WLAN" },
    { heading: "Delay and timing", program: "import time\ntime.sleep(0.02)\nstart = time.ticks_ms()\ntime.sleep_ms(10)\nprint(time.ticks_diff(time.ticks_ms(), start) >= 9)", prints: "True" },
    { heading: "Timers", program: "from machine import Pin, Timer\nimport time\ncount = [0, 0]\ndef count_to(place):\n    def tick(timer):\n        count[place] += 1\n    return tick\ntim0, tim1 = Timer(0), Timer(1)\ntim0.init(period=20, mode=Timer.ONE_SHOT, callback=count_to(0))\ntim1.init(period=10, mode=Timer.PERIODIC, callback=count_to(1))\nwhile count[1] < 5:\n    time.sleep_ms(5)\ntim1.deinit()\nPin(2, Pin.OUT).value(count[0])", drawn: { board: "ESP32, LED on the board: on" } },
    { heading: "Pins and GPIO", program: "from machine import Pin\np0 = Pin(0, Pin.OUT)\np0.on()\np0.off()\np0.value(1)\np4 = Pin(4, Pin.IN, Pin.PULL_UP)\np5 = Pin(5, Pin.OUT, value=1)\nprint(p4.value(), p0)", prints: "1 Pin(0)", drawn: { "out:0": "LED at GPIO0: on", "in:4": "Button at GPIO4", "out:5": "LED at GPIO5: on" } },
    { heading: "Pins and GPIO: inputs alone", program: "from machine import Pin\nPin(34, Pin.OUT)", refuses: "pin can only be input" },
    { heading: "Pins and GPIO: interrupts", program: "from machine import Pin\nimport time\nled = Pin(13, Pin.OUT)\nbutton = Pin(14, Pin.IN, Pin.PULL_UP)\nbutton.irq(trigger=Pin.IRQ_FALLING, handler=lambda pin: led.value(not led.value()))\nprint('now')\nwhile not led.value():\n    time.sleep_ms(10)", does: press(14), drawn: { "out:13": "LED at GPIO13: on", "in:14": "Button at GPIO14" } },
    { heading: "UART", program: "from machine import UART\nuart1 = UART(1, baudrate=9600, tx=33, rx=32)\nuart1.write('hello\\nyou')\nprint(uart1.any(), uart1.readline(), uart1.read())", prints: "9 b'hello\\n' b'you'" },
    { heading: "PWM", program: "from machine import Pin, PWM\npwm0 = PWM(Pin(12), freq=5000, duty_u16=32768)\nfreq = pwm0.freq()\npwm0.freq(1000)\nduty = pwm0.duty()\npwm0.duty(256)\nprint(freq, duty)", prints: "5000 512", drawn: { "pwm:12": "LED at GPIO12: 25 %, 1000 Hz" } },
    { heading: "PWM: fading", program: "from machine import Pin, PWM\nimport time\nled = PWM(Pin(2), 1000)\nfor duty in range(0, 65536, 4095):\n    led.duty_u16(duty)\n    time.sleep_ms(5)", drawn: { board: "ESP32, LED on the board: 100 %, 1000 Hz" } },
    { heading: "DAC", program: "from machine import DAC, Pin\ndac1 = DAC(Pin(25))\ndac1.write(128)", drawn: { "pwm:25": "LED at GPIO25: 50 %" } },
    { heading: "ADC", program: "from machine import ADC, Pin\nimport time\nadc = ADC(Pin(32), atten=ADC.ATTN_11DB)\nadc.width(ADC.WIDTH_12BIT)\nprint('now')\nwhile adc.read() > 100:\n    time.sleep_ms(5)\nprint('low', adc.read_u16(), adc.read_uv())", does: slide("adc:32", 0), prints: "low 0 0", drawn: { "adc:32": "0.00 V" } },
    { heading: "Software SPI bus", program: "from machine import Pin, SoftSPI\nspi = SoftSPI(baudrate=100000, polarity=1, phase=0, sck=Pin(0), mosi=Pin(2), miso=Pin(4))\nbuf = bytearray(3)\nspi.readinto(buf, 0xa5)\nspi.init(baudrate=200000)\nprint(bytes(buf))", prints: "b'\\xa5\\xa5\\xa5'" },
    { heading: "Hardware SPI bus", program: "from machine import Pin, SPI\nhspi = SPI(1, 10000000)\nhspi = SPI(1, 10000000, sck=Pin(14), mosi=Pin(13), miso=Pin(12))\nhspi.write(b'12345')\nprint(hspi.read(1))", prints: "b'\\x00'" },
    { heading: "Hardware I2C bus, with a display by its commands", program: "from machine import Pin, I2C\ni2c = I2C(0, scl=Pin(18), sda=Pin(19), freq=400000)\nfor command in (0xaf, 0x20, 0, 0x21, 0, 127, 0x22, 0, 7):\n    i2c.writeto(0x3c, bytes((0x80, command)))\ni2c.writeto(0x3c, b'\\x40' + b'\\xff' * 4 + bytes(1020))", drawn: { "oled:3c": "Display at I2C: 32 dots are lit" } },
    { heading: "Real time clock", program: "from machine import RTC\nrtc = RTC()\nrtc.datetime((2017, 8, 23, 0, 12, 48, 0, 0))\nrtc.memory(b'kept')\nprint(rtc.datetime()[0], rtc.memory())", prints: "2017 b'kept'" },
    { heading: "WDT", program: "from machine import WDT\nwdt = WDT(timeout=5000)\nwdt.feed()\nprint('fed')", prints: "fed" },
    { heading: "Sleep modes", program: "import machine\nprint(machine.reset_cause() == machine.DEEPSLEEP_RESET)\nmachine.lightsleep(20)\nprint('awake')", prints: "awake" },
    { heading: "RMT", program: "import esp32\nfrom machine import Pin\nr = esp32.RMT(0, pin=Pin(18), clock_div=8)", refuses: "the board in the page has no RMT" },
    { heading: "NeoPixel driver, filled", program: "from machine import Pin\nfrom neopixel import NeoPixel\nnp = NeoPixel(Pin(0, Pin.OUT), 4, bpp=4)\nnp.fill((10, 0, 0, 1))\nnp.write()", drawn: { "neo:0": "NeoPixels at GPIO0: #0b0101 #0b0101 #0b0101 #0b0101" } },
    { heading: "Capacitive touch", program: "from machine import TouchPad, Pin\nimport time\nt = TouchPad(Pin(14))\nprint('now', t.read() > 200)\nwhile t.read() > 200:\n    time.sleep_ms(2)\nprint('touched')", does: (page) => hold(page, "touch:14"), prints: "touched", drawn: { "touch:14": "Touch pad at GPIO14" } },
    { heading: "DHT driver", program: "import dht, machine\nd = dht.DHT11(machine.Pin(4))\nd.measure()\nprint(d.temperature(), d.humidity())\nd = dht.DHT22(machine.Pin(4))\nd.measure()\nprint(d.temperature(), d.humidity())", prints: "21.5 45.0", drawn: { "dht:4": "21.5 °C" } },
    { heading: "Bluetooth", program: "import bluetooth\nble = bluetooth.BLE()", refuses: "the board in the page has no Bluetooth" },
  ],
};

/** Holds a part with the mouse until a program has seen it. */
async function hold(page, part) {
  await page.locator(`[data-part="${part}"] button`).hover();
  await page.mouse.down();
  await page.waitForFunction(() => document.querySelector("#terminal").textContent.includes("touched"));
  await page.mouse.up();
}
