# All powers, in a user namespace.
# try:
unshare -Urm sh -c "echo in \$(id -u)"
# out:
grep -q "^ *\(Output: \)*in 0" "$PRINTED"
