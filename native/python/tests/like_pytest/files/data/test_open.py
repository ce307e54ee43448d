"""A file of the test's own, by open."""

import os

NAME = "like_pytest_data.txt"


def test_written():
    with open(NAME, "w") as file:
        file.write("12\n34\n")
    try:
        with open(NAME) as file:
            numbers = [int(line) for line in file]
    finally:
        os.remove(NAME)
    assert numbers == [12, 35]
