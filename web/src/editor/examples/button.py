from machine import Pin
import time

button = Pin(15, Pin.IN, Pin.PULL_UP)
led = Pin("LED", Pin.OUT)

print("Press the button at pin 15.")
while True:
    led.value(button.value() == 0)  # pulled up, so it is 0 while pressed
    time.sleep_ms(20)
