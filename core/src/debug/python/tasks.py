from asyncio import core as @P
def @a(n,v,g=None):
 f=@F(n,v,g)
 f.k=k=@P.cur_task
 while f.p and f.p.k is not None and f.p.k is not k:f.p=f.p.p
 return f
