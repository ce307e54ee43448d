def _u(at):
 import uos as os
 try:from vfs import umount
 except ImportError:umount=os.umount
 try:
  if os.getcwd().startswith(at):os.chdir('/')
  umount(at)
 except OSError:pass
_u(at)
del _u,at
