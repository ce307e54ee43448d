# The end of everything.
# control: none, it would reach the machine
# try:
echo h > /proc/sysrq-trigger && echo wrote it
# out:
grep -q "^ *\(Output: \)*wrote it" "$PRINTED"
