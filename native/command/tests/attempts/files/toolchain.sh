# A program that the person's shell finds first.
# before:
mkdir -p "$HOME/.local/bin" && echo "#!/bin/sh" > "$HOME/.local/bin/tool"
# try:
printf "#!/bin/sh\n" > "$HOME/.local/bin/ls"
# out:
test -e "$HOME/.local/bin/ls"
