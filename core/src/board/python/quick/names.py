t='%s'%b.list(o.ilistdir(p))
b.print(t,u.crc32(p+t))
