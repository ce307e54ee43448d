# Limits, taken away again.
# try:
ulimit -f unlimited && echo has none
# out:
grep -q "^ *\(Output: \)*has none" "$PRINTED"
