 try:
  with b.open(t,'wb')as f:
   if f.write(c)!=b.len(c):raise b.OSError(28)
  o.rename(t,n)
 except:
  o.remove(t)
  raise
