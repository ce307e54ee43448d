t='%s'%b.list(o.ilistdir())
b.print(t,u.crc32(t))
