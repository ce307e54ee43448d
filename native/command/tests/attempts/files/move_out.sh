# A file of the project, moved out.
# try:
mv a.txt "$OUTSIDE/moved"
# out:
test -e "$OUTSIDE/moved"
