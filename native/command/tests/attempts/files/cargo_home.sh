# Settings of the person's cargo, which name programs.
# try:
echo "[build]" > "$HOME/.cargo/config.toml"
# out:
! grep -q token "$HOME/.cargo/config.toml"
