# A hook of a submodule, whose folder is in git's own.
# before:
git init -q --bare "$OUTSIDE/m.git" && git -C vendor/lib push -q "$OUTSIDE/m.git" main && git -C "$OUTSIDE/m.git" symbolic-ref HEAD refs/heads/main && git -c protocol.file.allow=always submodule --quiet add "$OUTSIDE/m.git" m
# try:
printf '#!/bin/sh\ntouch "$OUTSIDE/ran"\n' > .git/modules/m/hooks/pre-commit; chmod 755 .git/modules/m/hooks/pre-commit
# out:
cd m && git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
