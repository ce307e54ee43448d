def get(n,q,z):
 micropython.kbd_intr(-1)
 o=sys.stdout.buffer.write
 try:
  if q>1:
   try:
    t=bytearray(8192)
    v=memoryview(bytearray(len(m)))
   except MemoryError:q=0
  x=hashlib.sha256(bytes(n,'utf8'))
  with open(n,'rb') as f:
   while 1:
    c=f.readinto(m[3:3+z])
    if not c:break
    x.update(m[3:3+c])
    if q>1:
     k=_lz(m[3:],c,v,t)
     if k:
      o(bytes((90,k&255,k>>8)))
      out(v[:k])
      c=0
    elif q:
     y=io.BytesIO()
     with deflate.DeflateIO(y,deflate.RAW,12) as g:g.write(m[3:3+c])
     y=y.getvalue()
     if len(y)<c:
      o(bytes((90,len(y)&255,len(y)>>8)))
      out(memoryview(y))
      c=0
    if c:
     b[0]=68
     b[1]=c&255
     b[2]=c>>8
     out(m[:3+c])
    if p.poll(0):
     dry()
     raise OSError(125)
  sys.stdout.write('='+''.join('%02x'%v for v in x.digest()))
 finally:micropython.kbd_intr(3)
def out(v):
 o=sys.stdout.buffer.write
 while len(v):v=v[o(v):]
