# A folder outside, by a link in the cache below which the next sandbox shows something.
# control: none, without bubblewrap nobody follows the link
# before:
mkdir -p "$HOME/.cache/huggingface/hub"
# try:
mv ~/.cache/huggingface ~/.cache/other; ln -s "../../../../../../../../oldroot$OUTSIDE" ~/.cache/huggingface
[/RUN_COMMAND]
[RUN_COMMAND]
true
# out:
test -d "$OUTSIDE/hub"
