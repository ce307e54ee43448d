# Links where the agent kept its files once.
# try:
mkdir -p .flylead/sessions .flylead/outbox && ln -sf "$HOME/.bashrc" .flylead/lock.pid
ln -s "$HOME/.bashrc" .flylead/sessions/x.log.tmp && ln -sfn "$HOME/.ssh" .flylead/outbox
# out:
test -L .flylead/lock.pid || test -L .flylead/outbox || ! grep -qx mine "$HOME/.bashrc"
