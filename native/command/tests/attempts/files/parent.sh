# A new file beside the project.
# try:
echo x > ../new
# out:
test -e ../new
