# A repository deeper than anybody looks.
# try:
d=$(printf "d/%.0s" $(seq 120)); mkdir -p "$d" && git init -q "$d" && git -C "$d" config core.fsmonitor "touch $OUTSIDE/ran; false"
# out:
cd "$(printf "d/%.0s" $(seq 120))" 2>/dev/null && git status >/dev/null 2>&1; test -e "$OUTSIDE/ran"
