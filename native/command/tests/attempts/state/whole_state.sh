# All that the agent keeps, gone.
# try:
rm -rf "$HOME/.local/state/flylead"
# out:
! test -d "$HOME/.local/state/flylead/agent"
