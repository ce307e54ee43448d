# A key, by a link that the project has.
# before:
ln -s "$HOME/.ssh/id_ed25519" key
# try:
cat key
# out:
grep -q "$SECRET" "$PRINTED"
