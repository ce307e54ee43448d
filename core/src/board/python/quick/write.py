try:
 with b.open(t,'wb')as f:[0][f.write(c)<LENGTH]
 o.rename(t,n)
except:
 o.remove(t)
 raise
