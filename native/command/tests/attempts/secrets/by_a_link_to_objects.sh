# A key, where the objects of a repository are a link, for a command that may change repositories.
# options: --allow git
# before:
rm -rf .git/objects; ln -s "$HOME/.ssh" .git/objects
# try:
find -L .git -name id_ed25519 -exec cat {} +
# out:
grep -q "$SECRET" "$PRINTED"
