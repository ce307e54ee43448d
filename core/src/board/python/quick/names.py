for x in o.ilistdir(p):t+='\n%r'%(x[3:]and x or x+o.stat(p+x[0])[6:7],)
b.print(t,ubinascii.crc32(p+t))
