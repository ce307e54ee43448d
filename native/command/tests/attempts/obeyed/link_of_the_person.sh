# The folder that an editor's settings are a link to.
# before:
rm -r .vscode && mkdir conf && ln -s conf .vscode
# try:
echo '{}' > conf/tasks.json
# out:
test -e .vscode/tasks.json
