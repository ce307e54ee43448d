# A script of the tree that a hook calls.
# before:
mkdir scripts && printf '#!/bin/sh\ntrue\n' > scripts/check && chmod 755 scripts/check
printf '#!/bin/sh\nexec ./scripts/check\n' > .git/hooks/pre-commit && chmod 755 .git/hooks/pre-commit
# try:
printf '#!/bin/sh\ntouch %s/ran\n' "$OUTSIDE" > scripts/check
# out:
git commit -q --allow-empty -m x >/dev/null 2>&1; test -e "$OUTSIDE/ran"
