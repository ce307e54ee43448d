import sys as __y
__r=[]
for __s in('(a:=1)','import sys\nsys.stdin.readline','import os,io\nos.mount,io.BytesIO','import _thread\n_thread.get_ident','from micropython import const\nclass C:\n __enter__=const\nC().__enter__()','import TASKS.core','import select\nselect.poll','import _keyboard\n_keyboard.typed'):
 try:
  exec(__s,{});__r.append(1)
 except BaseException:__r.append(0)
__r.append(__y.platform in('linux','darwin','win32'))
print("\x1eTOKEN 'f'",__r)
del __r,__s,__y
