# A menu on a display, of nested functions, default arguments and a table of actions.
from fakes import PWM


def once(function):
    function_of = {}

    def run(*args):
        if args not in function_of:
            function_of[args] = function(*args)
        return function_of[args]

    return run


class Menu:
    def __init__(self, title, *, parent=None, actions={}):
        self.title = title
        self.parent = parent
        self.items = []
        self.actions = actions

    def item(self, name, key=None):
        def register(action):
            self.items.append((name, action))
            self.actions[key or name[0]] = action
            return action

        return register

    def press(self, key, seen=[]):
        seen.append(key)
        action = self.actions.get(key)
        if action is None:
            return "no %s after %d" % (key, len(seen))
        return action()

    def lines(self, chosen=0):
        yield self.title
        for number, (name, _) in enumerate(self.items):
            yield ("> " if number == chosen else "  ") + name


@once
def note(name, octave=4):
    return int(440 * 2 ** ((("c d ef g a b".index(name)) - 9) / 12 + octave - 4))


def demo():
    menu = Menu("Music")
    buzzer = PWM("buzzer")

    @menu.item("Play")
    def play():
        for name in "cegc":
            buzzer.freq(note(name))
        return "played"

    @menu.item("Stop", key="x")
    def stop():
        buzzer.duty_u16(0)

    print(*menu.lines(chosen=1), sep="|")
    print(menu.press("P"), menu.press("x"), menu.press("q"))
    print(menu.actions["P"] is play, Menu("Other").actions is menu.actions)
