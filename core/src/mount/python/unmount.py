import uos as os
try:from vfs import umount
except ImportError:umount=os.umount
try:
 if(os.getcwd()+'/').startswith(at+'/'):
  try:os.chdir(cwd)
  except OSError:os.chdir('/')
 umount(at)
except OSError:pass
