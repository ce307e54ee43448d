 try:
  with b.open(n,'rb')as f:
   if f.read(l+1)==c:continue
 except b.OSError:0
