def out(v,k,c):
 v[0]=24
 v[1]=15
 v[2]=k
 v[3]=c&255
 v[4]=c>>8&255
 v[5]=c>>16
 v[6]=sum(v[2:6])&255
 n=7
 if k!=67:
  n=c+11
  v[c+7:n]=crc32(v[7:c+7]).to_bytes(4,'little')
 v=v[:n]
 while len(v):v=v[o.write(v)or 0:]
