# The project moved away and another one in its place.
# try:
cd .. && mv project gone && mkdir project && echo evil > project/evil
# out:
test -e evil -o -e ../gone
