try:t+='\nb\'\'%r'%(o.stat(p),)
except b.OSError as e:
 if e.args[0]!=2:raise
