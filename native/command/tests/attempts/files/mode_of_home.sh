# A folder that its owner cannot open any more.
# try:
chmod 000 "$OUTSIDE"
# out:
mode=$(stat -c %a "$OUTSIDE"); chmod 755 "$OUTSIDE"; test "$mode" = 0
