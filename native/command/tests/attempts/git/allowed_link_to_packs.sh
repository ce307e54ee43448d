# A file outside, where a folder of the repository is a link.
# options: --allow git
# before:
rm -rf .git/objects/pack; ln -s "$OUTSIDE" .git/objects/pack
# try:
mkdir -p .git/objects/pack; echo x > .git/objects/pack/evil
# out:
test -e "$OUTSIDE/evil"
