# Programs that an assistant starts.
# try:
mkdir -p "$(dirname ".mcp.json")" && echo "$NAME" > ".mcp.json"
# out:
grep -qs "$NAME" ".mcp.json"
