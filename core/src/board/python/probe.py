def _p(m):
 def t(n,c):
  try:
   c()
   print(n)
  except:pass
 s=m('sys')
 u=s.platform
 try:u=m('os').uname()[4]
 except:pass
 print('build=%s %s'%(s.version,u))
 if s.platform=='webassembly':
  print('wasi')
  t('stdin\nstdout',lambda:(s.stdin.buffer.readinto,m('binascii').crc32))
  t('crc32',lambda:m('select').poll)
  t('hex',lambda:bytes.fromhex(b'a'.hex()))
 else:
  t('stdin\nstdout\ncrc32',lambda:(s.stdin.buffer.readinto,s.stdout.buffer.write,m('select').poll,m('micropython').kbd_intr,m('binascii').crc32))
  t('base64',lambda:m('binascii').a2b_base64(b'AA=='))
 t('sha256',lambda:m('hashlib').sha256().digest)
 d=lambda *a:m('deflate').DeflateIO(m('io').BytesIO(*a),m('deflate').RAW,9)
 t('inflate',lambda:d(b'\3\0').read())
 t('deflate',lambda:d().write(b'a'))
 t('viper',lambda:exec('@micropython.viper\ndef f(p:ptr8)->int:\n return p[0]',{}))
 t('stat',lambda:m('os').stat)
 t('rename',lambda:m('os').rename)
 t('vfs',lambda:m('vfs').mount)
 t('vfs',lambda:m('os').mount)
 try:
  m('gc').collect()
  print('free=%d'%m('gc').mem_free())
 except:pass
_p(__import__)
