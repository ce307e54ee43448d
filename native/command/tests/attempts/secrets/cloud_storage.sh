# Passwords of cloud storage.
# try:
cat "$HOME/.config/rclone/rclone.conf"
# out:
grep -q "$SECRET" "$PRINTED"
