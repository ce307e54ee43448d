# The target of such a link, where there is none yet.
# before:
ln -s ../../scripts/later .git/hooks/pre-commit
# try:
mkdir scripts && printf '#!/bin/sh\ntouch %s/ran\n' "$OUTSIDE" > scripts/later && chmod 755 scripts/later
# out:
git commit -q --allow-empty -m x >/dev/null 2>&1; test -e "$OUTSIDE/ran"
