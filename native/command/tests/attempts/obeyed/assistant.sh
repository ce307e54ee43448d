# What an assistant runs.
# try:
mkdir -p "$(dirname ".claude/settings.json")" && echo "$NAME" > ".claude/settings.json"
# out:
grep -qs "$NAME" ".claude/settings.json"
