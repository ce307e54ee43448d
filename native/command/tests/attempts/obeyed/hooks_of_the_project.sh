# Hooks that a tool runs at each commit.
# try:
mkdir -p "$(dirname ".pre-commit-config.yaml")" && echo "$NAME" > ".pre-commit-config.yaml"
# out:
grep -qs "$NAME" ".pre-commit-config.yaml"
