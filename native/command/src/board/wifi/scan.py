import network, binascii
w = network.WLAN(network.STA_IF)
w.active(True)
for n in w.scan():
    print(n[3], n[4], binascii.hexlify(n[0]).decode())
