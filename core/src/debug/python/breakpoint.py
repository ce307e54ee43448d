@B={}
def @Q(m,k,c,i,h,t,j):
 n=0;e=0
 def q(f):
  nonlocal n,e,c,h,t
  try:
   if not e:
    e=1;g=@g[m];c=c and eval(c,g);h=h and eval(h);t=t and eval(t,g)
   if c and not c(*[f.g(x)for x in i]):return
   n+=1
   if h and not h(n):return
   if t:@R('l',k,t(*[f.g(x)for x in j]));return
  except Exception as r:@R('l',k,repr(r),1)
  return 1
 return q
