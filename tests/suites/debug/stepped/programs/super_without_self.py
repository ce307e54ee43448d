class Base:
    def __init__(this, v):
        this.v = v
    def name(this):
        return "base"
class Child(Base):
    def __init__(this, v):
        super().__init__(v + 1)
        this.w = v
    def name(this):
        return super().name() + "!"
c = Child(1)
print(c.v, c.w, c.name())
