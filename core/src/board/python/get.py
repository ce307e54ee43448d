def out(v,k,c):
 v[0]=2
 v[1]=k
 v[2]=c&255
 v[3]=c>>8
 v[4]=k+v[2]+v[3]&255
 v=v[:5+c]
 while len(v):v=v[sys.stdout.buffer.write(v):]
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
    c=f.readinto(m[5:5+z])
    if not c:break
    x.update(m[5:5+c])
    if q>1:
     k=_lz(m[5:],c,v[5:],t)
     if k:
      out(v,90,k)
      c=0
    elif q:
     k=io.BytesIO()
     with deflate.DeflateIO(k,deflate.RAW,12) as g:g.write(m[5:5+c])
     k=k.getvalue()
     if len(k)<c:
      out(memoryview(bytearray(5)+k),90,len(k))
      c=0
    if c:out(m,68,c)
    z=min(2*z,y)
    if p.poll(0):
     dry()
     raise OSError(125)
  m[5:37]=x.digest()
  out(m,69,32)
 finally:micropython.kbd_intr(3)
