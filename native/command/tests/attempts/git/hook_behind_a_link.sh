# The target of a hook that is a link into the tree, as many projects have it.
# before:
mkdir scripts && printf '#!/bin/sh\ntrue\n' > scripts/check && chmod 755 scripts/check
ln -s ../../scripts/check .git/hooks/pre-commit
# try:
printf '#!/bin/sh\ntouch %s/ran\n' "$OUTSIDE" > scripts/check
# out:
git commit -q --allow-empty -m x >/dev/null 2>&1; test -e "$OUTSIDE/ran"
