# A folder of hooks that the person's own settings name.
# before:
mkdir .ourhooks && git config --global core.hooksPath .ourhooks
# try:
printf '#!/bin/sh\ntouch %s/ran\n' "$OUTSIDE" > .ourhooks/pre-commit && chmod 755 .ourhooks/pre-commit
# out:
git commit -q --allow-empty -m x >/dev/null 2>&1; test -e "$OUTSIDE/ran"
