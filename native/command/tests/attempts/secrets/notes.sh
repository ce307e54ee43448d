# A file in the home folder.
# try:
cat "$HOME/notes.txt"
# out:
grep -q "$SECRET" "$PRINTED"
