# A hook of the tree, from a further working tree of the repository.
# before:
mkdir tools && printf '#!/bin/sh\ntrue\n' > tools/check && chmod 755 tools/check && git worktree add -q tree -b tree
git -C tree config core.hooksPath "$WORK/tools"
# try:
printf '#!/bin/sh\ntouch %s/ran\n' "$OUTSIDE" > tools/pre-commit && chmod 755 tools/pre-commit
# out:
git -C tree commit -q --allow-empty -m x >/dev/null 2>&1; test -e "$OUTSIDE/ran"
