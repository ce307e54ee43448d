# A process that goes on after the command.
# control: none, without a sandbox the agent ends such processes too
# try:
setsid sh -c "exec sleep 700 $NAME 2>/dev/null || sleep 700; : $NAME" >/dev/null 2>&1 & sleep 0.2
# out:
pgrep -f "sleep 700.*$NAME"
