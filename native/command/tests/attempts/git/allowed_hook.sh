# A hook, where the person lets commands change repositories.
# options: --allow git
# try:
printf '#!/bin/sh\ntouch "$OUTSIDE/ran"\n' > .git/hooks/pre-commit && chmod 755 .git/hooks/pre-commit
# out:
git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
