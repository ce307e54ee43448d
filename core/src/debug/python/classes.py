def @h(f,l):
 f.d['@l']=l
 if @m[f.n>>BITS][l]:@d(f)
