 if h.sha256(n).digest()[:8]!=s:raise b.ValueError('sha256')
 try:o.mkdir(n)
 except b.OSError:
  if not o.stat(n)[0]&16384:raise
