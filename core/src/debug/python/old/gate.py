
print(@o,"'g'")
while 1:
 @c=input();@i=@c.find('TOKEN')
 if @c and @i:print(@o,"'t'",repr(@c[:@i]if @i>0 else @c+'\n'))
 if @i>=0:break
