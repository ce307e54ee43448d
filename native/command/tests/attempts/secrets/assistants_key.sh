# The key of an assistant.
# try:
cat "$HOME/.claude/.credentials.json"
# out:
grep -q "$SECRET" "$PRINTED"
