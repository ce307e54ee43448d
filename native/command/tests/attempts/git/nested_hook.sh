# A hook of a repository in the project.
# try:
printf '#!/bin/sh\ntouch "$OUTSIDE/ran"\n' > vendor/lib/.git/hooks/pre-commit; chmod 755 vendor/lib/.git/hooks/pre-commit
# out:
cd vendor/lib && git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
