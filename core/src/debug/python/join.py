try:
 import builtins as @b
except ImportError:@b=0
@j=['@e']
def @i(n,g,b=0):
 @m.setdefault(n,b)[0]=@X
 f=@F(n<<BITS,lambda i:g['LINE']);f.d=g
 g['LINE']=0
 @g[n]=g
 d={'b%d'%n:@m[n],'f%d'%n:f,'w':@F,'q':@ck,'g':@ok,'z':type,'m':@nu}
 for k in'JOINED':d[k]=globals()['@'+k]
 for k,v in d.items():
  k='@'+k
  @j.append(k)
  try:setattr(@b,k,v)
  except AttributeError:g[k]=v
