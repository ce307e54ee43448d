# More threads than a command may have.
# try:
python3 -c "
import threading, time
stop = threading.Event()
threading.stack_size(65536)
for i in range(5000): threading.Thread(target=stop.wait, args=(20,), daemon=True).start()
print('made', 'them', flush=True); stop.set()"
# out:
grep -q "made them" "$PRINTED"
