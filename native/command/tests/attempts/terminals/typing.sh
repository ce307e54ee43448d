# Keys that the person has not pressed.
# control: none, newer kernels refuse it to everybody
# terminal
# try:
python3 -c "
import fcntl, os, termios
fd = os.open('/dev/tty', os.O_RDWR)
fcntl.ioctl(fd, termios.TIOCSTI, b'x'); print('typed', 'it')"
# out:
grep -q "typed it" "$PRINTED"
