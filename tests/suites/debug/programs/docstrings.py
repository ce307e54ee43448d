"""Docstring of the program.

In two paragraphs.
"""

def f(n):
    """Adds one.

    And says so.
    """
    m = n + 1
    return m  # stop

print(f(1))
