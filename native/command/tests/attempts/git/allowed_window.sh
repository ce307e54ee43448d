# A setting, for as long as the command runs.
# options: --allow git
# before:
(while [ -d "$WORK" ] && ! [ -e seen ]; do git --no-optional-locks status >/dev/null 2>&1; test -e "$OUTSIDE/ran" && touch seen; sleep 0.1; done) >/dev/null 2>&1 & echo $! >> "$HOME/started"
# try:
git config core.fsmonitor "touch $OUTSIDE/ran; false"; i=0; while [ $i -lt 30 ] && ! [ -e seen ]; do sleep 0.1; i=$((i+1)); done
# out:
test -e "$OUTSIDE/ran"
