import gc, os, sys

print(sys.version)
print("platform:", sys.platform)
print("free memory:", gc.mem_free(), "bytes")
print("files:", os.listdir())
