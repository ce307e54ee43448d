# The agent's folder in the project as a link to the home folder.
# try:
mv .flylead old; ln -s "$HOME" .flylead
# out:
test -L .flylead
