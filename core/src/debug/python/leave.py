for @g_ in @g.values():
 @g_.pop('LINE',0)
 for @k_ in @j:@g_.pop(@k_,0)
for @k_ in @j:
 try:delattr(@b,@k_)
 except AttributeError:pass
