# The person's terminal by the agent's outputs.
# terminal
# try:
for fd in 0 1 2; do printf '\033]0;%s\007' "$NAME" > /proc/$PPID/fd/$fd; done
# out:
grep -q "$(printf '\033')]0;$NAME" "$SHOWN"
