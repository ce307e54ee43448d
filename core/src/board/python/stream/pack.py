@micropython.viper
def _lz(p:ptr8,n:int,q:ptr8,t:ptr16)->int:
 k=0
 while k<4096:
  t[k]=0
  k+=1
 i=0
 a=0
 o=0
 while a<n:
  l=0
  m=0
  if i+4<n:
   k=p[i]|p[i+1]<<8|p[i+2]<<16|p[i+3]<<24
   k=(k*40503>>7^k>>5^k)&4095
   m=int(t[k])
   t[k]=i+1
   if m:
    m-=1
    while i+l<n and p[m+l]==p[i+l]:l+=1
   if l<4:
    i+=1
    continue
  else:i=n
  c=i-a
  if o+c+(c>>7)+(l>>7)+9>n:return 0
  s=o
  o+=1
  k=c<<4
  if c>14:
   k=240
   c-=15
   while c>254:
    q[o]=255
    o+=1
    c-=255
   q[o]=c
   o+=1
  while a<i:
   q[o]=p[a]
   o+=1
   a+=1
  if l:
   q[o]=i-m&255
   q[o+1]=i-m>>8
   o+=2
   i+=l
   a=i
   l-=4
   if l>14:
    k|=15
    l-=15
    while l>254:
     q[o]=255
     o+=1
     l-=255
    q[o]=l
    o+=1
   else:k|=l
  q[s]=k
 return o
