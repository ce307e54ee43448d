# A password in Maven's settings.
# try:
cat "$HOME/.m2/settings.xml"
# out:
grep -q "$SECRET" "$PRINTED"
