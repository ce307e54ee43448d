def @Y():
 global @M,@G,@k
 t=TICKS>>6
 if t==@k or @k<0:return
 @k=t
 c=''
 try:
  TYPED
 except Exception:@k=-1
 if'\x03'in c:raise KeyboardInterrupt
 if'\x1e'in c:
  @M=1;@G=None
  for b in @m.values():
   for i in range(1,len(b)):b[i]|=1
 elif c:@k=-1
 c=c.replace('\x1e','')
 if c:@R('t',c)
 return 1
@k=0
@ct=0
