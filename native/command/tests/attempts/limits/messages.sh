# What the kernel says.
# control: none, some systems keep it from everybody
# try:
head -c 1 /dev/kmsg && echo read it; dmesg | head -c 1 | grep -q . && echo read it
# out:
grep -q "read it$" "$PRINTED" && ! grep -q "annot open" "$PRINTED"
