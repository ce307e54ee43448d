@H=[]
def @v(o):
 t=type(o);n=-1
 try:
  if t in(str,bytes,list,tuple,dict,set):n=len(o)
  if t in(str,bytes)and n>200:r=repr(o[:200])+'...'
  elif t in(list,tuple)and n>20:r=repr(o[:20])[:-1]+', ...'+('])'[t is tuple])
  elif t in(dict,set)and n>20:r='<%s of %d>'%(t.__name__,n)
  else:r=repr(o)
  if len(r)>400:r=r[:400]+'...'
 except Exception as e:r='<'+repr(e)+'>'
 h=0
 if n>0 and t not in(str,bytes)or n<0 and @A(o):@H.append(o);h=len(@H)
 return t.__name__,r,h,n
def @O(k):return k[:PREFIX]=='@'and k[PREFIX:]in'LETTERS'
def @A(o):
 try:return{k:v for k,v in o.__dict__.items()if not k.startswith('__')and not @O(k)}
 except AttributeError:return
def @u(f,i):
 try:return @v(f.g(i))
 except NameError:return
def @K(o,a,b):
 t=type(o)
 if t in(list,tuple):r=[(str(i),o[i])for i in range(a,min(b,len(o)))]
 elif t is set:r=[(str(i),v)for i,v in enumerate(o)][a:b]
 elif t is dict:r=[(repr(k),o[k])for k in list(o)[a:b]]
 else:
  d=@A(o)or{};r=[(k,d[k])for k in sorted(d)[a:b]]
 return[(n,)+@v(x)for n,x in r]
def @W(o,n,v):
 t=type(o)
 if t is list:o[int(n)]=v
 elif t is dict:o[[k for k in o if repr(k)==n][0]]=v
 else:setattr(o,n,v)
def @Z(m):
 g=@g[m]
 return[(k,)+@v(g[k])for k in sorted(g)if not k.startswith('__')and not @O(k)]
def @t(k,m,s,i,w):
 global @w
 g=@g[m]
 exec(s,g)
 if i is None:return
 r=g.pop('@t')(*[@L[k].g(x)for x in i])
 for x,v in zip(w,r):
  @w=x,v
  next(@L[k].v)
