import sys
r=[]
for s in('(a:=1)','import sys\nsys.stdin.readline','import os,io\nos.mount,io.BytesIO','import _thread\n_thread.get_ident','from micropython import const\nclass C:\n __enter__=const\nC().__enter__()','import asyncio.core','import select\nselect.poll'):
 try:
  exec(s,{});r.append(1)
 except BaseException:r.append(0)
r.append(sys.platform in('linux','darwin','win32'))
print("\x1eTOKEN 'f'",r)
del r,s
