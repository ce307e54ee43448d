# A control group of its own, with other bounds.
# control: root
# try:
mkdir "/sys/fs/cgroup/$NAME" "/sys/fs/cgroup/pids/$NAME" 2>/dev/null; test -d "/sys/fs/cgroup/$NAME" -o -d "/sys/fs/cgroup/pids/$NAME" && echo made it; rmdir "/sys/fs/cgroup/$NAME" "/sys/fs/cgroup/pids/$NAME" 2>/dev/null; true
# out:
grep -q "^ *\(Output: \)*made it" "$PRINTED"
