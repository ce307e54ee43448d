@o='\x1eTOKEN'
@T=@G=@E=None
@M=@X=0
@B={}
@b=bytearray(LINES)
class @F:
 y=0
 def __enter__(s):return s
 def __exit__(s,t,e,b):
  global @T,@G,@M
  if t and(@X or t is KeyboardInterrupt)and t!=StopIteration and t!=GeneratorExit:@d(s,e)
  if s is @G:
   @G=s.p
   if not @G:@M=1
  f=@T
  while f and f is not s:f=f.p
  if f:@T=s.p
def @w(n,g):
 global @T
 s=@F();s.n=n;s.g=g;s.p=@T;s.l=0;@T=s
 return s
def @h(f,l):
 f.l=l
 if @b[l]:@d(f)
def @d(f,e=None):
 global @T,@M,@G,@E
 v=@b[f.l]
 if e:
  if e is @E:return
  @E=e
 elif v&4:
  try:
   if not @B[f.l](f):return
  except Exception:pass
 elif not(v&2 or v&1 and(@M==1 or f is @G)):return
 t=@T
 while t and t is not f:t=t.p
 if not t:f.p=@T
 @T=t=f
 if @M:
  @M=0;@G=None
  for i in range(1,len(@b)):@b[i]&=254
 print(@o,"'s'",repr('x'if e else'b'if v&6 else's'),'[',end='')
 while t:
  print((t.n,t.l),end=',');t=t.p
 print(']',repr(e and repr(e)),0)
 while 1:
  c=input();i=c.find('TOKEN')
  if c and i:print(@o,"'t'",repr(c[:i]if i>0 else c+'\n'))
  if i<0:continue
  c=c[i+8:]
  if c=='c':return
  if c=='q':raise KeyboardInterrupt
  try:
   a=c.split()
   if a[0]=='v':
    t=f
    for i in range(int(a[1])):t=t.p
    print(@o,"'r'",repr(repr(t.g(int(a[2])))))
   elif a[0]=='b':@b[int(a[1])]=int(a[2])
   elif a[0]=='s':
    @M=int(a[1]);@G=f
    for i in range(int(a[2])):@G=@G and @G.p
    if not @G:@M=1
    for i in range(1,len(@b)):@b[i]|=1
   else:exec(c)
  except BaseException as r:print(@o,"'e'",repr(repr(r)))
