import network, time
w = network.WLAN(network.STA_IF)
w.active(True)
try:
    w.disconnect()
except OSError:
    pass
w.connect(SSID, PASSWORD)
def fault():
    for name in ("STAT_WRONG_PASSWORD", "STAT_NO_AP_FOUND"):
        if getattr(network, name, None) == w.status():
            return name
# A radio that looks for the network says at times that it is not there.
faults = 0
for _ in range(SECONDS * 5):
    faults = faults + 1 if fault() else 0
    if w.isconnected() or faults > 15:
        break
    time.sleep(0.2)
print(int(w.isconnected()), w.ifconfig()[0], fault() or w.status())
