def put(g):
 micropython.kbd_intr(-1)
 w=sys.stdout.write
 t=f=None
 try:
  w('\6')
  while 1:
   k,l,g=take(g)
   d=m[7:l+7]
   if k==90:d=memoryview(deflate.DeflateIO(io.BytesIO(d),deflate.RAW,14).read())
   while len(d):
    if not f:
     q=d[1]
     l=38+(d[0]|(q&63)<<8)
     c=int.from_bytes(d[2:6],'little')
     h=bytes(d[6:38])
     n=str(d[38:l],'utf8')
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
