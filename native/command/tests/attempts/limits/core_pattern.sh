# The program that the kernel runs when another one crashes.
# control: root
# try:
cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && echo wrote it
# out:
grep -q "^ *\(Output: \)*wrote it" "$PRINTED"
