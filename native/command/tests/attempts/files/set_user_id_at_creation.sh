# The same as the file is made.
# try:
python3 -c "import os; os.umask(0); os.open('root', os.O_CREAT | os.O_WRONLY, 0o4755)"
# out:
test -u root
