import sys,os,select,micropython,hashlib,io,time
try:import deflate
except:deflate=None
b=bytearray(size+5)
m=memoryview(b)
i=sys.stdin.buffer
p=select.poll()
p.register(sys.stdin,1)
def dry():
 while p.poll(200):i.read(1)
