# A hook in a folder that the settings name.
# before:
mkdir -p tools/hooks && touch tools/hooks/x && git config core.hooksPath tools/hooks
# try:
printf '#!/bin/sh\ntouch "$OUTSIDE/ran"\n' > tools/hooks/pre-commit; chmod 755 tools/hooks/pre-commit
# out:
git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
