# A terminal taken from the person.
# terminal
# try:
python3 -c "
import fcntl, os, termios
fd = os.open('/dev/tty', os.O_RDWR); print('has', 'it')"
# out:
grep -q "has it" "$PRINTED"
