c=d.DeflateIO(i.BytesIO(PACKED))
n,c=c.read(LENGTH).decode(),c.read()
