from machine import Pin
import time

led = Pin("LED", Pin.OUT)  # or the number of its pin: 2 on many boards with an ESP32
while True:
    led.value(not led.value())
    print("on" if led.value() else "off")
    time.sleep(0.5)
