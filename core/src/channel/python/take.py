def rd(a,z,s):
 n=min(z,a+s)
 e=time.ticks_add(time.ticks_ms(),wait)
 while a<z:
  r=time.ticks_diff(e,time.ticks_ms())
  if r<1 or not p.poll(r):raise OSError(110)
  a+=i.readinto(m[a:min(n,a+1024)])
  if a==n<z:
   sys.stdout.write('\1')
   n=min(z,a+s)
def take(w):
 while 1:
  rd(0,7,7)
  if not b[0]:raise OSError(125)
  c=b[3]|b[4]<<8|b[5]<<16
  if b[:2]!=b'\x18\x0f'or sum(b[2:6])&255!=b[6]or c>size:raise ValueError('sha256')
  if b[2]!=67:break
  w=c
 rd(7,c+11,w)
 if b[c+7:c+11]!=crc32(m[7:c+7]).to_bytes(4,'little'):raise ValueError('sha256')
 return b[2],c,w
