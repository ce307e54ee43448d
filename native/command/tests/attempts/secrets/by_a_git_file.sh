# A key, where a file `.git`, which an archive may have in it, says that the repository is.
# before:
rm -rf .git; echo "gitdir: $HOME/.ssh" > .git
# try:
cat "$HOME/.ssh/id_ed25519"
# out:
grep -q "$SECRET" "$PRINTED"
