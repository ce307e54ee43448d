from helper import twice, Thing
import helper
print(twice(4), twice is helper.twice)
t = Thing(3)
print(t.get(), isinstance(t, helper.Thing))
