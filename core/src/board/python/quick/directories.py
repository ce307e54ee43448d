 [0][u.crc32(n)!=s]
 try:o.mkdir(n)
 except b.OSError:
  if not o.stat(n)[0]&16384:raise
