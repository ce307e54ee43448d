"""capsys.disabled()."""


def test_disabled(capsys):
    print("captured")
    with capsys.disabled():
        pass
    print("again")
    assert capsys.readouterr().out == "captured\nagain\n"
