@uf=None
def @u(f,a,b,v):
 global @z
 if f is @uf and not HELD:
  BUSY=1
  try:r=repr(v)[:400]
  except Exception as e:r='<'+repr(e)+'>'
  finally:BUSY=0
  @R('u',a,b,r);@s(f,'u')
 return v
