def @h(f,l):
 f.d['LINE']=l
 if @m[f.n>>BITS][l]:@d(f)
