# The other name of a file that has two, as package managers make them: with what is added, and a mode.
# before:
echo kept > "$OUTSIDE/store" && ln "$OUTSIDE/store" package
# try:
echo more >> package; chmod 600 package
# out:
grep -q more "$OUTSIDE/store" || test "$(stat -c %a "$OUTSIDE/store")" = 600
