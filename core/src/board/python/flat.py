import os
def _w(p,r,q):
 print('epoch',0)
 for n in os.listdir():print('f',os.size(n),0,'-',''.join('%02x'%b for b in bytes(n,'utf8')))
