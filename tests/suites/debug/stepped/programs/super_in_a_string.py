class Base:
    def m(self):
        return "base"
class Child(Base):
    def m(self):
        print("call super() please")
        return super().m() + " super()"
print(Child().m())
