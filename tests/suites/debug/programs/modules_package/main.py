# microbit: ImportError; it imports nothing from the host
from tools.numbers import halves
from tools import text

print(halves([2, 4]), text.shout('hey'))
