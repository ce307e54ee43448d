# An editor's settings as a link to a folder of the project.
# try:
mkdir evil && echo "$NAME" > evil/settings.json && mv .vscode old; ln -s evil .vscode
# out:
grep -qs "$NAME" .vscode/settings.json
