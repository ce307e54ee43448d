# A private key.
# try:
cat "$HOME/.ssh/id_ed25519"
# out:
grep -q "$SECRET" "$PRINTED"
