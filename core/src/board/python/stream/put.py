def rd(z,s):
 a=0
 n=min(z,s)
 e=time.ticks_add(time.ticks_ms(),wait)
 while a<z:
  r=time.ticks_diff(e,time.ticks_ms())
  if r<1 or not p.poll(r):raise OSError(110)
  a+=i.readinto(m[a:min(n,a+1024)])
  if a==n<z:
   sys.stdout.write('\1')
   n=min(z,a+s)
 return m[:z]
def put():
 micropython.kbd_intr(-1)
 w=sys.stdout.write
 t=f=None
 try:
  w('\6')
  while 1:
   k=rd(5,5)[2]
   if not(b[0]or b[1]):raise OSError(125)
   d=rd(b[0]|b[1]<<8,b[3]|b[4]<<8)
   if k:d=memoryview(deflate.DeflateIO(io.BytesIO(d),deflate.RAW,14).read())
   while len(d):
    if not f:
     l=42+(d[4]|(d[5]&63)<<8) if len(d)>41 else 0
     if hashlib.sha256(d[4:l]).digest()[:4]!=bytes(d[:4]):raise ValueError('sha256')
     q=d[5]
     c=int.from_bytes(d[6:10],'little')
     h=bytes(d[10:42])
     n=str(d[42:l],'utf8')
     d=d[l:]
     if not n:
      w('\6')
      return
     if q>127:
      try:os.mkdir(n)
      except OSError:
       if not os.stat(n)[0]&16384:raise
      w('\2')
      continue
     if q&64:
      t=n
      try:os.remove(n)
      except OSError:pass
     else:
      s=n.rfind('/')+25
      t=n[:s]+'.'+''.join('%02x'%v for v in h[:4])+'.part'
     f=open(t,'wb')
     x=hashlib.sha256(n)
    e=d[:c]
    d=d[c:]
    c-=len(e)
    x.update(e)
    if f.write(e)!=len(e):raise OSError(28)
    if not c:
     f.close()
     f=None
     if x.digest()!=h:raise ValueError('sha256')
     s=t
     if s!=n:
      try:os.rename(s,n)
      except OSError:
       if os.stat(n)[0]&16384:raise OSError(21)
       os.remove(n)
       t=None
       try:os.rename(s,n)
       except OSError:raise ValueError('kept '+s)
     t=None
     w('\2')
   w('\6')
 except:
  dry()
  if t:
   try:
    try:
     if f:f.close()
    finally:os.remove(t)
   except OSError:pass
  raise
 finally:micropython.kbd_intr(3)
