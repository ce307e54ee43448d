import os,hashlib
def has(n,c):
 try:
  with open(n,'rb') as f:return f.read()==c
 except OSError:pass
def put(n,t,h,c):
 if hashlib.sha256(bytes(n,'utf8')+c).digest()[:8]!=h:raise ValueError('sha256')
 if has(n,c):return
 try:
  with open(t,'wb') as f:
   if f.write(c)!=len(c):raise OSError(28)
  os.rename(t,n)
 except:
  try:os.remove(t)
  except OSError:pass
  raise
