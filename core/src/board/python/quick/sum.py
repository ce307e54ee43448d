 x=h.sha256(n)
 x.update(c)
 if x.digest()[:8]!=s:raise b.ValueError('sha256')
