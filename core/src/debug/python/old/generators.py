def @p(f,v):
 global @T
 f=f.p
 while f and f.y:f=f.p
 @T=f;return v
def @n(f,v):
 global @T
 if @T is not f:
  g=f
  while g.p and g.p.y:g=g.p
  g.p=@T;@T=f
 f.y=0
 return v
def @y(f,v):f.y=1;return v
