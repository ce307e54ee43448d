# Settings of an editor, of a part of the project.
# try:
mkdir -p "$(dirname "web/.vscode/settings.json")" && echo "$NAME" > "web/.vscode/settings.json"
# out:
grep -qs "$NAME" "web/.vscode/settings.json"
