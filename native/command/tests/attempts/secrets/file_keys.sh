# Keys of encrypted files.
# try:
cat "$HOME/.config/sops/age/keys.txt"
# out:
grep -q "$SECRET" "$PRINTED"
