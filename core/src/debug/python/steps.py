def @S(m,k,*r):
 global @M,@G
 @M=m;@G=None
 if m==2:
  if k<len(@L):@G=@L[k]
  else:@M=1
 for i,a,b in r:
  for l in range(a,b):@m[i][l]|=1
