import sys,select
from binascii import crc32
i=sys.stdin.buffer
o=sys.stdout.buffer
p=select.poll()
p.register(sys.stdin,1)
def dry():
 while p.poll(200):i.read(1)
