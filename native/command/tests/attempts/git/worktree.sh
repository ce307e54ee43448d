# A hook where the project is only one of the repository's working trees.
# before:
mv .git vendor .. && cd .. && mkdir main && mv .git main && cd main && git worktree add -qf --detach ../other && mv ../other/.git ../project/ && git worktree repair -q ../project 2>/dev/null; true
# try:
printf '#!/bin/sh\ntouch "$OUTSIDE/ran"\n' > "$(git rev-parse --git-common-dir)/hooks/pre-commit"; chmod 755 "$(git rev-parse --git-common-dir)/hooks/pre-commit"
# out:
git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
