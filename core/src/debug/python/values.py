@H=[]
def @v(o):
 t=type(o);n=-1;s=t in(str,bytes,bytearray)
 try:
  if s or t in(list,tuple,dict,set):n=len(o)
  if s and n>200:r=repr(o[:200])+'...'
  elif t in(list,tuple)and n>20:r=repr(o[:20])[:-1]+', ...'+('])'[t is tuple])
  elif t in(dict,set)and n>20:r='<%s of %d>'%(t.__name__,n)
  else:r=repr(o)
 except Exception as e:r='<'+repr(e)+'>'
 h=0
 if n>0 and not s or n<0 and @A(o):@H.append(o);h=len(@H)
 return t.__name__[:80],@vc(r),h,n
def @vc(r):return r[:400]+'...'if len(r)>400 else r
def @vs(l):
 r=[]
 for v in l:
  r.append(v)
  if len(r)>2:@R('p',r);r=[]
 @R('v',r)
def @O(k):return k in @j
def @A(o):
 try:return{k:v for k,v in o.__dict__.items()if not k.startswith('__')and not @O(k)}
 except AttributeError:return
def @ur(f,i):
 try:return @v(f.g(i))
 except NameError:return
def @K(o,a,b):
 t=type(o)
 if t in(list,tuple):r=((str(i),o[i])for i in range(a,min(b,len(o))))
 elif t is set:r=((str(i),v)for i,v in enumerate(o)if a<=i<b)
 elif t is dict:r=((repr(k),o[k])for i,k in enumerate(o)if a<=i<b)
 else:
  d=@A(o)or{};r=((k,d[k])for k in sorted(d)[a:b])
 return((@vc(n),)+@v(x)for n,x in r)
def @W(o,n,v):
 t=type(o)
 if t is list:o[int(n)]=v
 elif t is dict:
  k,=[k for k in o if @vc(repr(k))==n];o[k]=v
 else:setattr(o,n,v)
 return v
def @Z(m):
 g=@g[m]
 return((@vc(k),)+@v(g[k])for k in sorted(g)if not k.startswith('__')and not @O(k))
def @t(k,m,s,i,w):
 global @w
 g=@g[m]
 exec(s,g)
 if i is None:return
 a=[@L[k].g(x)for x in i]
 for x in w:
  if x not in i:
   try:v=@L[k].g(x)
   except NameError:v=@H
   a.append(v)
 for x,v in zip(w,g.pop('@t')(*a)):
  if v is not @H:
   @w=x,v
   next(@L[k].v)
