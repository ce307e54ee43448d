# Another project of the person's, by a file `.git` that names its repository.
# before:
git init -q "$HOME/other" && echo "$SECRET" > "$HOME/other/x" && git -C "$HOME/other" add x && git -C "$HOME/other" commit -qm x
rm -rf .git; echo "gitdir: $HOME/other/.git" > .git
# try:
git show HEAD:x
# out:
grep -q "$SECRET" "$PRINTED"
