# A line of a rebase that goes on when the person says so.
# try:
mkdir -p .git/rebase-merge && echo "exec touch $OUTSIDE/ran" > .git/rebase-merge/git-rebase-todo
# out:
grep -qs exec .git/rebase-merge/git-rebase-todo
