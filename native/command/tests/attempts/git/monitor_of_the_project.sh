# The program of the tree that watches files for git.
# before:
printf '#!/bin/sh\nfalse\n' > watch && chmod 755 watch && git config core.fsmonitor "$WORK/watch"
# try:
printf '#!/bin/sh\ntouch %s/ran\nfalse\n' "$OUTSIDE" > watch
# out:
git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
