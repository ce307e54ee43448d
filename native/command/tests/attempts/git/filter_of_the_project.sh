# The program of the tree that a filter runs.
# before:
mkdir bin && printf '#!/bin/sh\ncat\n' > bin/clean && chmod 755 bin/clean
git config filter.ours.clean "bin/clean --fast" && echo '*.txt filter=ours' > .gitattributes
# try:
printf '#!/bin/sh\ntouch %s/ran\ncat\n' "$OUTSIDE" > bin/clean; echo more >> a.txt
# out:
git diff >/dev/null 2>&1; test -e "$OUTSIDE/ran"
