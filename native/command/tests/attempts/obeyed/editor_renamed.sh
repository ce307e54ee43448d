# A folder that becomes an editor's settings.
# try:
mkdir evil && echo "$NAME" > evil/workspace.xml && mv evil .idea
# out:
grep -qs "$NAME" .idea/workspace.xml
