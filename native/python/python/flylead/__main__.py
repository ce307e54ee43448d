"""``python -m flylead``: the command ``flylead`` of this environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from typing import Optional

from .errors import CommandFailed


def command() -> Optional[str]:
    """Returns the path of the command: that of this environment, or of the user's own, or one in ``PATH``."""
    schemes = (sysconfig.get_default_scheme(), f"{os.name}_user") if sys.version_info >= (3, 10) else (None, f"{os.name}_user")
    for scheme in schemes:
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        found = shutil.which("flylead", path=folder)
        if found is not None:
            return found
    return shutil.which("flylead")


def run(words: list[str], timeout: Optional[float]) -> str:
    """Runs the command, and returns its output. Raises ``CommandFailed``."""
    path = command()
    if path is None:
        raise CommandFailed(_MISSING, 127, "")
    ended = subprocess.run([path, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    if ended.returncode != 0:
        raise CommandFailed(ended.stderr.strip() or f"exit code {ended.returncode}", ended.returncode, ended.stdout)
    return ended.stdout


def main() -> int:
    """Runs the command with the words of this process, and returns its exit code."""
    path = command()
    if path is None:
        print(_MISSING, file=sys.stderr)
        return 1
    words = [path, *sys.argv[1:]]
    if os.name != "nt":
        sys.stdout.flush()
        os.execv(path, words)
    return subprocess.call(words)


_MISSING = "the command flylead is not installed; install it with: pip install flylead"

if __name__ == "__main__":
    sys.exit(main())
