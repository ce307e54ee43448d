# All of the memory.
# control: none, it would take the machine from everybody
# try:
python3 -c "
blocks = []
import os
total = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES')
size = max(total // 2, 1 << 30) + (64 << 20)
x = bytearray(size); print('has', 'it')"
# out:
grep -q "has it" "$PRINTED"
