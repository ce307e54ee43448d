# The token of a registry in the settings.
# try:
cat "$HOME/.cargo/config.toml"
# out:
grep -q "$SECRET" "$PRINTED"
