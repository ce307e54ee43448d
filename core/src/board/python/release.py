import builtins as b
try:
 import uos
 if 'RemoteFS' in b.globals():
  uos.umount('/remote')
  uos.chdir('/flash')
except b.Exception:pass
