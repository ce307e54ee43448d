# A key, in what a repository says that it shares with others.
# before:
rm -rf .git; mkdir worktree; echo "gitdir: worktree" > .git; echo "ref: refs/heads/main" > worktree/HEAD; echo "$HOME/.ssh" > worktree/commondir
# try:
cat "$HOME/.ssh/id_ed25519"
# out:
grep -q "$SECRET" "$PRINTED"
