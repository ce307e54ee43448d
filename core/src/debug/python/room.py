__import__('gc').collect()
print("\x1eTOKEN 'F'",__import__('gc').mem_free())
