def _p():
 import sys
 def t(n,c):
  try:
   c()
   print(n)
  except:pass
 def m(n):
  return __import__(n)
 if sys.platform!='webassembly':
  t('stdin',lambda:(sys.stdin.buffer.readinto,m('select').poll,m('micropython').kbd_intr))
  t('stdout',lambda:(sys.stdout.buffer.write,m('micropython').kbd_intr))
 else:print('wasi')
 t('sha256',lambda:m('hashlib').sha256().digest)
 t('base64',lambda:m('binascii').a2b_base64(b'AA=='))
 t('inflate',lambda:m('deflate').DeflateIO(m('io').BytesIO(b'\3\0'),m('deflate').RAW,9).read())
 t('deflate',lambda:m('deflate').DeflateIO(m('io').BytesIO(),m('deflate').RAW,9).write(b'a'))
 t('viper',lambda:exec('@micropython.viper\ndef f(p:ptr8)->int:\n return p[0]',{}))
 t('stat',lambda:m('os').stat)
 t('rename',lambda:m('os').rename)
 try:
  import gc
  gc.collect()
  print('free=%d'%gc.mem_free())
 except:pass
_p()
del _p
