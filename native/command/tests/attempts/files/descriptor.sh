# A folder that the agent was started with.
# descriptor
# try:
python3 -c "import os; os.open('new', os.O_CREAT | os.O_WRONLY, dir_fd=7)"
# out:
test -e "$OUTSIDE/new"
