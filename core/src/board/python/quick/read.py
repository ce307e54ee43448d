with b.open(n,'rb')as f:d=f.read(limit+1)
if b.len(d)>limit:raise b.ValueError
x=h.sha256(n)
x.update(d)
d=x.digest()+d
c=b.len(d)
d=b.bytes((24,15,68,c&255,c>>8,0,68+(c&255)+(c>>8)&255))+d+u.crc32(d).to_bytes(4,'little')
while d:d=d[s.stdout.buffer.write(d):]
