# What only the administrator may read of the settings.
# control: root
# try:
find /etc -type f ! -perm -4 -size +0 -exec head -qc 1 {} + 2>/dev/null | wc -c
# out:
! grep -q "^ *\(Output: \)*0$" "$PRINTED"
