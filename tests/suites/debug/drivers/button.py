# A button that bounces: presses, long presses, and callbacks that are compared by identity.
from fakes import Pin


def never(*_):
    pass


class Button:
    SETTLED = 3
    LONG = 8

    def __init__(self, pin, press=never, long=never):
        self.pin = pin
        self.callbacks = {"press": press, "long": long}
        self.state = 0
        self._same = self._held = 0

    def has(self, name, callback):
        return self.callbacks[name] is callback

    def on(self, name, callback=never):
        old, self.callbacks[name] = self.callbacks[name], callback
        return old

    def tick(self):
        level = self.pin.value()
        self._same = self._same + 1 if level != self.state else 0
        if self._same >= self.SETTLED:
            self.state, self._same = level, 0
            if level:
                self._held = 0
            elif self._held < self.LONG:
                self.callbacks["press"](self)
        if self.state:
            self._held += 1
            if self._held == self.LONG:
                self.callbacks["long"](self)


def demo():
    count = {"press": 0}

    def pressed(button):
        count["press"] += 1
        print("pressed", count["press"], button.pin.name)

    levels = [0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0] + [1] * 14 + [0] * 4
    button = Button(Pin("boot", recorded=levels), press=pressed)
    print(button.has("press", pressed), button.has("long", never), never(button))
    print(button.on("long", lambda one: print("long", one.state)) is never)
    for _ in levels:
        button.tick()
