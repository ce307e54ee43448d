# The token of a registry.
# try:
cat "$HOME/.cargo/credentials.toml"
# out:
grep -q "$SECRET" "$PRINTED"
