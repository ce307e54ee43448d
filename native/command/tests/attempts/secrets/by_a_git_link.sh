# A key, where a link `.git` leads, for a command that may change repositories.
# options: --allow git
# before:
rm -rf .git; ln -s "$HOME/.ssh" .git
# try:
cat .git/id_ed25519 "$HOME/.ssh/id_ed25519"
# out:
grep -q "$SECRET" "$PRINTED"
