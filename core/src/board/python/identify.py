import sys,gc,os
u=sys.platform
try:u=os.uname()[4]
except AttributeError:pass
gc.collect()
print('build=%s %s\nfree=%d'%(sys.version,u,gc.mem_free()))
