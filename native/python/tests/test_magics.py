"""The magics of IPython."""

from __future__ import annotations

import pytest
from IPython.core.interactiveshell import InteractiveShell


def test_a_cell_runs_on_the_board_and_its_value_comes_back(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "flylead")
    shell.run_cell_magic("board", "", "print(1)")
    assert "%board connect ADDRESS" in capsys.readouterr().err
    shell.run_line_magic("board", f"connect {address}")
    shell.run_cell_magic("board", "-o value -o text", "value = 6 * 7\ntext = 'ä'\nprint('said', text)")
    assert capsys.readouterr().out.strip() == "said ä"
    assert (shell.user_ns["value"], shell.user_ns["text"]) == (42, "ä")
    shell.run_cell_magic("board", "", "1 / 0")
    assert "ZeroDivisionError: divide by zero" in capsys.readouterr().err
    shell.run_line_magic("board", "close")
