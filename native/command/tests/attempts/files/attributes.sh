# An attribute of a file outside.
# try:
python3 -c "import os; os.setxattr(os.environ['OUTSIDE'] + '/kept', 'user.evil', b'1')"
# out:
python3 -c "import os, sys; sys.exit('user.evil' not in os.listxattr(os.environ['OUTSIDE'] + '/kept'))"
