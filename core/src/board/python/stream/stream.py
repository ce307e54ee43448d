import os,micropython,hashlib,io,time
try:import deflate
except:deflate=None
b=bytearray(size+11)
m=memoryview(b)
