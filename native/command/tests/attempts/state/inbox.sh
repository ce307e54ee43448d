# A reply of its own in the inbox.
# try:
mkdir -p .flylead/inbox && printf '[DONE]\nx\n[/DONE]\n' > .flylead/inbox/a.txt
# out:
test -e .flylead/inbox/a.txt
