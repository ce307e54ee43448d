class Lazy:
    def __getattr__(self, name):
        made = '<' + name + '>'
        return made  # stop

lazy = Lazy()
print(lazy.color, lazy.size)
