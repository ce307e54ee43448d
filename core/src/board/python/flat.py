import os
def _w(p,r,q):
 _say('epoch 0')
 for n in os.listdir():_say('f %d 0 - %s'%(os.size(n),''.join('%02x'%b for b in bytes(n,'utf8'))))
