import os
try:os.remove(_path)
except OSError as e:
 try:os.rmdir(_path)
 except Exception:raise e
