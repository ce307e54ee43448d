def @S(k=None,*r):
 global @M,@G
 @M=1;@G=None
 if k is None:
  for b in @m.values():
   for i in range(1,len(b)):b[i]|=1
 elif 0<=k<len(@L):
  @M=2;@G=@L[k]
 for i,a,b in r:
  for l in range(a,b):@m[i][l]|=1
