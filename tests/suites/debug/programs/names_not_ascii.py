def größe(länge, höhe):
    fläche = länge * höhe
    return fläche  # stop

π = 3
print(größe(π, 2))
