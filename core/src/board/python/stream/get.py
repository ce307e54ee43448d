def get(n,q,y,z):
 micropython.kbd_intr(-1)
 try:
  if q>1:
   try:
    t=bytearray(8192)
    v=memoryview(bytearray(len(m)))
   except MemoryError:q=0
  x=hashlib.sha256(bytes(n,'utf8'))
  with open(n,'rb') as f:
   while 1:
    c=f.readinto(m[7:7+z])
    if not c:break
    x.update(m[7:7+c])
    if q>1:
     k=_lz(m[7:],c,v[7:],t)
     if k:
      out(v,90,k)
      c=0
    elif q:
     k=io.BytesIO()
     with deflate.DeflateIO(k,deflate.RAW,12) as g:g.write(m[7:7+c])
     k=k.getvalue()
     if len(k)<c:
      out(memoryview(bytearray(7)+k+bytes(4)),90,len(k))
      c=0
    if c:out(m,68,c)
    z=min(2*z,y)
    if p.poll(0):
     dry()
     raise OSError(125)
  m[7:39]=x.digest()
  out(m,69,32)
 finally:micropython.kbd_intr(3)
