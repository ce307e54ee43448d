for x in o.ilistdir(p):t+='\n%r%r'%(x[0].encode(),o.stat(p+x[0]))
