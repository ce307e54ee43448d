"""``python -m flylead.pyboard``"""

from .command import main

main()
