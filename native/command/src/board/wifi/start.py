def _wifi():
    import network, wifi_cfg
    w = network.WLAN(network.STA_IF)
    w.active(True)
    if not w.isconnected():
        w.connect(wifi_cfg.SSID, wifi_cfg.PASSWORD)
_wifi()
del _wifi
