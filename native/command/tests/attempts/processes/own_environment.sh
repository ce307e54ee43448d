# What the agent was told, from the command's own environment.
# control: none, secrets are kept from the environment without a sandbox too
# try:
env
# out:
grep -q "THE_API_TOKEN=$SECRET" "$PRINTED"
