# A hook as a link, there.
# options: --allow git
# try:
mkdir evil; printf "#!/bin/sh\ntouch $OUTSIDE/ran\n" > evil/pre-commit; chmod 755 evil/pre-commit; rm -r .git/hooks; ln -s ../evil .git/hooks
# out:
git commit -q --allow-empty -m x; test -e "$OUTSIDE/ran"
