def _j(p,n):return n if not p else (p if p[-1]=='/' else p+'/')+n
def _w(p,r,q):
 _t()
 a=['']
 while a:
  b=a.pop()
  c=_j(p,b) if b else p
  for x in os.ilistdir(c) if c else os.ilistdir():
   n=x[0]
   if n in('.','..'):continue
   f=_j(b,n)
   if _e(_j(c,n),f,q) and r:a.append(f)
