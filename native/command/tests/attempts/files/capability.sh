# A program with the right to read everything.
# control: root
# try:
cp /bin/true powerful && python3 -c "import os; os.setxattr('powerful', 'security.capability', bytes.fromhex('0100000204000000000000000000000000000000'))"
# out:
python3 -c "import os, sys; sys.exit('security.capability' not in os.listxattr('powerful'))"
