# A file outside as a file of the project.
# try:
ln "$OUTSIDE/kept" hard && echo x > hard
# out:
! grep -qx kept "$OUTSIDE/kept"
