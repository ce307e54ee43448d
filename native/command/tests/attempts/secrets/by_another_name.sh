# A key, where the home folder has two names.
# before:
ln -s "$HOME" "$OUTSIDE/home"
# try:
cat "$HOME/.ssh/id_ed25519" "$OUTSIDE/home/.ssh/id_ed25519"
# out:
grep -q "$SECRET" "$PRINTED"
