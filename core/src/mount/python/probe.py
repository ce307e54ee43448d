def _p(m):
 def t(n,c):
  try:
   c()
   print(n)
  except:pass
 def v():
  try:m('vfs').mount
  except ImportError:m('os').mount
 t('vfs',v)
 t('stdin',lambda:(m('sys').stdin.buffer.readinto,m('sys').stdout.buffer.write,m('select').poll))
 t('crc32',lambda:m('binascii').crc32)
 t('inflate',lambda:m('deflate').DeflateIO(m('io').BytesIO(b'\3\0'),m('deflate').RAW,9).read())
 try:
  m('gc').collect()
  print('free=%d'%m('gc').mem_free())
 except:pass
_p(__import__)
