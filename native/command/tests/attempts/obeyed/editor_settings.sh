# Settings of an editor that are there already.
# try:
mkdir -p "$(dirname ".vscode/settings.json")" && echo "$NAME" > ".vscode/settings.json"
# out:
grep -qs "$NAME" ".vscode/settings.json"
