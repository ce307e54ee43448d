def work():
    kept = 1
    gone = 2
    print(kept + gone)  # stop
    del gone
    return kept  # stop

print(work())
