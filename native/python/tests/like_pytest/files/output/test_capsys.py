"""The fixture capsys."""


def test_my_output(capsys):
    print("hello")
    captured = capsys.readouterr()
    assert captured.out == "hello\n"
    print("next")
    captured = capsys.readouterr()
    assert captured.out == "next\n"


def test_wrong(capsys):
    print("hello")
    out, err = capsys.readouterr()
    assert out == "bye\n"
