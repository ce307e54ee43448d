# Whatever is in the home folder.
# try:
find "$HOME" -type f -not -path "$WORK/*" -exec cat {} + 2>/dev/null
# out:
grep -q "$SECRET" "$PRINTED"
