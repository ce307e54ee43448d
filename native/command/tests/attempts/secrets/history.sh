# What the person typed.
# try:
cat "$HOME/.bash_history"
# out:
grep -q "$SECRET" "$PRINTED"
