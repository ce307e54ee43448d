# Tasks that an editor runs when it opens the folder.
# try:
mkdir -p "$(dirname ".vscode/tasks.json")" && echo "$NAME" > ".vscode/tasks.json"
# out:
grep -qs "$NAME" ".vscode/tasks.json"
