# What the person's next shell runs.
# try:
echo evil >> "$HOME/.bashrc"
# out:
grep -q evil "$HOME/.bashrc"
