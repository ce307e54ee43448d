try:
 with b.open(n,'rb')as f:
  if f.read(LENGTH+1)==c:SKIP
except b.OSError:0
