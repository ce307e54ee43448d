# Another process, held by a debugger.
# control: root
# before:
sleep 600 >/dev/null 2>&1 & echo $! > victim; echo $! >> "$HOME/started"
# try:
python3 - <<'END'
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
pid = int(open('victim').read())
print('held', libc.ptrace(16, pid, 0, 0), flush=True)
END
# out:
grep -q "held 0" "$PRINTED"
