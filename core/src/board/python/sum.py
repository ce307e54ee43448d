def _s(p):
 c=0
 with open(p,'rb') as file:
  while 1:
   data=file.read(128)
   if not data:return c
   for b in data:c=(c*31+b)&16777215
   print(end=' ')
def _h(p):
 x=hashlib.sha256()
 with open(p,'rb') as file:
  while 1:
   data=file.read(512)
   if not data:break
   x.update(data)
   print(end=' ')
 return ''.join('%02x'%b for b in x.digest())
