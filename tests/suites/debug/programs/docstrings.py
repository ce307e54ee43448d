"""What this program is for.

In two paragraphs.
"""

def f(n):
    """Adds one.

    And says so.
    """
    m = n + 1
    return m  # stop

print(f(1))
