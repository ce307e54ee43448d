import sys,gc,os
u=sys.platform
try:u=os.uname()[4]
except b.AttributeError:pass
gc.collect()
b.print('build=%s %s\nfree=%d'%(sys.version,u,gc.mem_free()))
