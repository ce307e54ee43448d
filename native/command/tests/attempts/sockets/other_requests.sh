# Sockets by requests that go past a filter.
# control: none, some systems refuse it to everybody
# try:
python3 -c "
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(425, 8, ctypes.create_string_buffer(512))
print('ring', 'refused' if ctypes.get_errno() in (1, 38) else 'made')"
# out:
grep -q "ring made" "$PRINTED"
