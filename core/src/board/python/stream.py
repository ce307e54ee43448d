import sys,os,select,micropython,hashlib,io,time
try:import deflate
except:deflate=None
class _FL:
 def __init__(s,z,w):
  s.w=w
  s.b=bytearray(z+3)
  s.m=memoryview(s.b)
  s.i=sys.stdin.buffer
  s.p=select.poll()
  s.p.register(sys.stdin,1)
 def rd(s,z):
  a=0
  e=time.ticks_add(time.ticks_ms(),s.w)
  while a<z:
   r=time.ticks_diff(e,time.ticks_ms())
   if r<1 or not s.p.poll(r):raise OSError(110)
   a+=s.i.readinto(s.m[a:min(z,a+256)])
 def dry(s):
  while s.p.poll(200):s.i.read(1)
 def put(s,t,n,z,h):
  micropython.kbd_intr(-1)
  w=sys.stdout.write
  f=None
  try:
   f=open(t,'wb')
   x=hashlib.sha256(bytes(t+n,'utf8'))
   w('+')
   while z:
    s.rd(2)
    k=s.b[0]|s.b[1]<<8
    if not k:raise OSError(125)
    c=k&32767
    s.rd(c)
    d=s.m[:c]
    if k>32767:d=deflate.DeflateIO(io.BytesIO(d),deflate.RAW,14).read()
    z-=len(d)
    x.update(d)
    if f.write(d)!=len(d):raise OSError(28)
    w('+')
   f.close()
   f=None
   if x.digest()!=h:raise ValueError('sha256')
   try:os.rename(t,n)
   except OSError:
    os.remove(n)
    os.rename(t,n)
  except:
   s.dry()
   if f:f.close()
   try:os.remove(t)
   except OSError:pass
   raise
  finally:micropython.kbd_intr(3)
 def get(s,n,q):
  micropython.kbd_intr(-1)
  o=sys.stdout.buffer.write
  m=s.m
  try:
   if q>1:
    try:
     t=bytearray(8192)
     v=memoryview(bytearray(len(m)))
    except MemoryError:q=0
   x=hashlib.sha256(bytes(n,'utf8'))
   with open(n,'rb') as f:
    while 1:
     c=f.readinto(m[3:])
     if not c:break
     x.update(m[3:3+c])
     if q>1:
      k=_lz(m[3:],c,v,t)
      if k:
       o(bytes((90,k&255,k>>8)))
       s.out(v[:k])
       c=0
     elif q:
      y=io.BytesIO()
      with deflate.DeflateIO(y,deflate.RAW,12) as g:g.write(m[3:3+c])
      y=y.getvalue()
      if len(y)<c:
       o(bytes((90,len(y)&255,len(y)>>8)))
       s.out(memoryview(y))
       c=0
     if c:
      s.b[0]=68
      s.b[1]=c&255
      s.b[2]=c>>8
      s.out(m[:3+c])
     if s.p.poll(0):
      s.dry()
      raise OSError(125)
   sys.stdout.write('='+''.join('%02x'%v for v in x.digest()))
  finally:micropython.kbd_intr(3)
 def out(s,v):
  o=sys.stdout.buffer.write
  while len(v):v=v[o(v):]
