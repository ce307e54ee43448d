# A folder of hooks that an included file names.
# before:
mkdir ours && printf '[core]\n\thooksPath = ours\n' > .git/more && git config include.path more
# try:
printf '#!/bin/sh\ntouch %s/ran\n' "$OUTSIDE" > ours/pre-commit && chmod 755 ours/pre-commit
# out:
git commit -q --allow-empty -m x >/dev/null 2>&1; test -e "$OUTSIDE/ran"
