import builtins as b
try:
 import uos
 if 'RemoteFS' in b.globals():
  try:uos.statvfs('/remote')
  except b.AttributeError:
   uos.umount('/remote')
   uos.chdir('/flash')
except b.Exception:pass
