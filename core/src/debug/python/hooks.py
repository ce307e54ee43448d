import sys
@T=@G=@E=None
@M=@X=0
@m={}
@g={}
@B={}
@L=[]
class @F:
 y=0
 k=None
 def __init__(s,n,g,v=None):
  global @T
  s.n=n;s.g=g;s.v=v;s.p=TOP;PUT(s)
 def __enter__(s):return s
 def __exit__(s,t,e,b):
  global @T,@G,@M
  if t and(@X or t is KeyboardInterrupt)and t not in(StopIteration,GeneratorExit):@x(s,e,'x')
  if s is @G:
   @G=s.p
   if not @G:@M=1
  f=TOP
  while f and f is not s:f=f.p
  if f:PUT(s.p)
def @d(f):
 v=@m[f.n>>BITS][@l(f)]
 if v&1 and(@M==1 or f is @G):@s(f,'s')
 elif v&2 or v&4 and @B[(f.n>>BITS,@l(f))](f):@s(f,'b')
@a=@F
def @l(f):
 try:return f.g(0)
 except NameError:return 0
def @h(f,l):
 f.d['@l']=l
 if @m[f.n>>BITS][l]:@d(f)
def @x(f,e,w='h'):
 global @E
 if e is not @E:@E=e;@s(f,w,e)
def @p(f,v):
 global @T
 f=f.p
 while f and f.y:f=f.p
 PUT(f);return v
def @n(f,v):
 global @T
 if TOP is not f:
  g=f
  while g.p and g.p.y:g=g.p
  g.p=TOP;PUT(f)
 f.y=0
 return v
def @y(f,v):f.y=1;return v
def @r(f,v):
 global @T
 PUT(f);return v
class @C:
 def __iter__(s):return s
 def __next__(s):return s.v
@c=@C()
def @S(m,k,*r):
 global @M,@G
 @M=m;@G=None
 if m==2:
  if k<len(@L):@G=@L[k]
  else:@M=1
 for i,a,b in r:
  for l in range(a,b):@m[i][l]|=1
def @I():
 while 1:
  c=sys.stdin.readline()
  if not c or'\x03'in c:raise KeyboardInterrupt
  i=c.find('TOKEN')
  if i:@R('t',c[:i]if i>0 else c)
  if i>=0:return c[i+8:].strip()
def @R(*a):
 sys.stdout.write('\x1eTOKEN')
 for v in a:sys.stdout.write(' '+repr(v))
 sys.stdout.write('\n')
def @s(f,w,e=None):
 global @T,@M,@G,@L
 sys.stdin.fileno()
 LOCK
 t=TOP
 while t and t is not f:t=t.p
 if not t and f.k is None:f.p=TOP
 PUT(f)
 if @M:
  @M=0;@G=None
  for b in @m.values():
   for i in range(1,len(b)):b[i]&=254
 @L=[]
 while f and len(@L)<64:@L.append(f);f=f.p
 @R('s',w,[(t.n,@l(t))for t in @L],e and repr(e),THREAD)
 try:
  while 1:
   c=@I()
   if c=='c':break
   if c=='q':raise KeyboardInterrupt
   try:exec(c,globals())
   except BaseException as r:@R('e',repr(r))
 finally:
  @L=[];UNLOCK
def @z(n):
 g=@g.pop(n)
 for k in'LETTERS':g.pop('@'+k,0)
def @j(n,l):@m[n]=bytearray(l+1)
def @i(n,g):
 @m[n][0]=@X
 f=@F(n<<BITS,lambda i:g['@l']);f.d=g
 g.update({'@f':f,'@l':0,'@b':@m[n],'@d':@d,'@h':@h,'@w':@F,'@x':@x,'@p':@p,'@n':@n,'@y':@y,'@r':@r,'@a':@a,'@c':@c})
 @g[n]=g
