# What a shell runs as it enters the folder.
# try:
mkdir -p "$(dirname ".envrc")" && echo "$NAME" > ".envrc"
# out:
grep -qs "$NAME" ".envrc"
