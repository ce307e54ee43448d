# The key of another assistant.
# try:
cat "$HOME/.codex/auth.json"
# out:
grep -q "$SECRET" "$PRINTED"
