# A hook of more than a mebibyte.
# try:
{ printf '#!/bin/sh\ntouch "$OUTSIDE/ran"; exit\n'; head -c 1200000 /dev/zero | tr '\0' '#'; } > .git/hooks/pre-commit
chmod 755 .git/hooks/pre-commit
# out:
git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
