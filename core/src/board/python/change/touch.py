try:open(_path,'ab').close()
except ValueError:
 try:open(_path).close()
 except OSError:open(_path,'w').close()
