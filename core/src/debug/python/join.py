def @i(n,g,b=0):
 @m.setdefault(n,b)[0]=@X
 f=@F(n<<BITS,lambda i:g['@l']);f.d=g
 g['@l']=0
 g['@b']=@m[n]
 g['@f']=f
 g['@w']=@F
 for k in'JOINED':g['@'+k]=globals()['@'+k]
 @g[n]=g
