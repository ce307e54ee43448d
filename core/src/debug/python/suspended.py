@a=@F
def @p(f,v):
 global @T
 f=f.p
 while f and f.y:f=f.p
 PUT(f);return v
def @n(f,v):
 global @T
 if TOP is not f:
  g=f
  while g.p and g.p.y:g=g.p
  g.p=TOP;PUT(f)
 f.y=0
 return v
def @y(f,v):f.y=1;return v
def @r(f,v):
 global @T
 PUT(f);return v
