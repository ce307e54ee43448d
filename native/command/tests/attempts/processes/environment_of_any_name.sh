# Secrets in the agent's environment, most of them with names that say nothing of a key.
# control: none, the environment is kept from commands without a sandbox too
# try:
env; echo "the $LANG"
# out:
grep -q "=$SECRET" "$PRINTED" || ! grep -q "the C.UTF-8" "$PRINTED"
