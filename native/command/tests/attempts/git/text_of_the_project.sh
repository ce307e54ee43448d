# The program of the tree that turns a file to text for a diff.
# before:
mkdir bin && printf '#!/bin/sh\ncat "$1"\n' > bin/text && chmod 755 bin/text
git config diff.ours.textconv "sh bin/text" && echo '*.txt diff=ours' > .gitattributes && git add -A && git commit -qm x
# try:
printf 'touch %s/ran\ncat "$1"\n' "$OUTSIDE" > bin/text; echo more >> a.txt
# out:
git diff >/dev/null 2>&1; test -e "$OUTSIDE/ran"
