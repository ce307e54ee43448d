# What an editor runs before it opens a container.
# try:
mkdir -p "$(dirname ".devcontainer/devcontainer.json")" && echo "$NAME" > ".devcontainer/devcontainer.json"
# out:
grep -qs "$NAME" ".devcontainer/devcontainer.json"
