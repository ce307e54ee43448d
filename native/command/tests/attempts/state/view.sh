# The folder of the agent's own that holds the view.
# control: none, without a sandbox there is no view
# try:
ls -d "$HOME"/.local/state/flylead/agent/*/view && touch "$HOME"/.local/state/flylead/agent/*/view/upper/x
# out:
grep -q '/view$' "$PRINTED"
