# What a build server runs after a push.
# try:
mkdir -p "$(dirname ".github/workflows/x.yml")" && echo "$NAME" > ".github/workflows/x.yml"
# out:
grep -qs "$NAME" ".github/workflows/x.yml"
