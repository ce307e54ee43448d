# microbit: ImportError; it imports nothing from the host
def use(n):
    import helper
    return helper.cube(n)

print('before')
print(use(3))
