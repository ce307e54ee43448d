@B={}
def @Q(m,k,c,i,h,t,j):
 n=0;e=0
 def q(f):
  nonlocal n,e,c,h,t
  global @z
  if HELD:return
  BUSY=1
  try:
   if not e:
    e=1;g=@g[m];c=c and eval(c,g);h=h and eval(h);t=t and eval(t,g)
   if c and not c(*[f.g(x)for x in i]):return
   n+=1
   if h and not h(n):return
   if t:@R('l',k,t(*[f.g(x)for x in j])[:9999]);return
  except Exception as r:
   @R('l',k,repr(r)[:999],1)
   if t:return
  finally:BUSY=0
  return 1
 return q
def @l(f,l):
 r=0
 for q in @B.get((f.n>>BITS,l),{}).values():r=q(f)or r
 return r
