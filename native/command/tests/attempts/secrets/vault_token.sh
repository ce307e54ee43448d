# A token of Vault's.
# try:
cat "$HOME/.vault-token"
# out:
grep -q "$SECRET" "$PRINTED"
