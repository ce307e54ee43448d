# The next outbox as a link to a key, which `next` would print.
# try:
cd "$HOME"/.local/state/flylead/agent/*/ && rm -r outbox && ln -s "$HOME/.ssh" outbox
# out:
test -L "$HOME"/.local/state/flylead/agent/*/outbox
