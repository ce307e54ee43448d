# The same with the folder of the branches.
# options: --allow git
# before:
rm -rf .git/refs; ln -s "$OUTSIDE" .git/refs
# try:
mkdir -p .git/refs/heads 2>/dev/null || { rm .git/refs; mkdir -p .git/refs/heads; }
echo 1111111111111111111111111111111111111111 > .git/refs/heads/evil
# out:
test -e "$OUTSIDE/heads/evil"
