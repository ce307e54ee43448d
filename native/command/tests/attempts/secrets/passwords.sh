# The hashes of the system's passwords.
# control: root
# try:
head -n 1 /etc/shadow
# out:
grep -q "root:" "$PRINTED"
