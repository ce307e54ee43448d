try:
 import uos
 if 'RemoteFS' in globals():
  uos.umount('/remote')
  uos.chdir('/flash')
except Exception:pass
