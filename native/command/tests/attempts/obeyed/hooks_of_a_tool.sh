# Hooks as a tool of git's keeps them.
# try:
mkdir -p "$(dirname ".husky/pre-commit")" && echo "$NAME" > ".husky/pre-commit"
# out:
grep -qs "$NAME" ".husky/pre-commit"
