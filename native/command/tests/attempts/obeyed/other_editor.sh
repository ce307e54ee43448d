# Settings of another editor.
# try:
mkdir -p "$(dirname ".idea/workspace.xml")" && echo "$NAME" > ".idea/workspace.xml"
# out:
grep -qs "$NAME" ".idea/workspace.xml"
