# A commit in another project of the person's, by the like in a folder below.
# options: --allow git
# before:
git init -q "$HOME/other" && git -C "$HOME/other" commit -q --allow-empty -m x
mkdir below; echo "gitdir: $HOME/other/.git" > below/.git
# try:
cd below && git commit -q --allow-empty -m evil
# out:
git -C "$HOME/other" log --format=%s | grep -q evil
