_lines=[0]
def _say(t):
 s=0
 for b in bytes(t,'utf8'):s=(s*31+b)&16777215
 _lines[0]+=1
 print('\n%s %d\n'%(t,s),end='')
