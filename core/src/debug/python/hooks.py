import sys
@T=@G=@E=None
@M=@X=0
@z=FREE
@m={}
@g={}
@ok=set()
@nu=int,bool
try:@nu+=float,
except NameError:pass
def @ck(n,c):
 try:return n not in @ok or c()
 except Exception:return 1
class @F:
 SUSPENDED
 def __init__(s,n,v,g=None):
  global @T
  s.n=n;s.g=g or v;s.v=v;s.p=TOP;PUT(s)
  POLL
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
 b=@m[f.n>>BITS];l=f.g(0);v=b[l]
 COUNT
 if v&1 and(@M==1 or f is @G):@s(f,'s')
 elif v&4 and @l(f,l)or v&2:@s(f,'b')
def @x(f,e,w='h'):
 global @E
 if e is not @E and not HELD:@E=e;@s(f,w,e)
def @C():
 while 1:yield @w
@c=@C()
def @I():
 while 1:
  c=sys.stdin.readline()
  if not c or'\x03'in c:raise KeyboardInterrupt
  i=c.find('TOKEN')
  if i:@R('t',c[:i]if i>0 else c)
  if i>=0:return c[i+8:].strip()
def @R(*a):
 sys.stdout.write('\x1eTOKEN'+''.join([' '+repr(v)for v in a])+'\n')
def @s(f,w,e=None):
 global @T,@M,@G,@L,@z
 if HELD:return
 sys.stdin.fileno()
 LOCK
 BUSY=1
 t=TOP
 while t and t is not f:t=t.p
 if not t OFTASK:f.p=TOP
 PUT(f)
 if @M:
  @M=0;@G=None
  for b in @m.values():
   for i in range(1,len(b)):b[i]&=254
 @L=[]
 r=[]
 while f and len(r)<64:
  l=0
  try:l=f.g(0)
  except NameError:pass
  @L.append(f);r.append((f.n,l));f=f.p
 @R('s',w,r,e and repr(e)[:999],THREAD)
 try:
  while 1:
   c=@I()
   if c=='c':break
   if c=='q':raise KeyboardInterrupt
   try:exec(c,globals())
   except BaseException as r:@R('e',repr(r)[:999])
 finally:
  @L=None;BUSY=0;UNLOCK
