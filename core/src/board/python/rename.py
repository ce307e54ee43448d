import os
try:os.rename(_part,_path)
except OSError:
 os.remove(_path)
 try:os.rename(_part,_path)
 except OSError:raise ValueError('kept '+_part)
