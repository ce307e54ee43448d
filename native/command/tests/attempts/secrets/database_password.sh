# The password of a database.
# try:
cat "$HOME/.pgpass"
# out:
grep -q "$SECRET" "$PRINTED"
