# Settings of the kernel.
# control: root
# try:
cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && echo wrote it
# out:
grep -q "^ *\(Output: \)*wrote it" "$PRINTED"
