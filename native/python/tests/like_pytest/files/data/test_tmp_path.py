"""tmp_path."""

CONTENT = "content"


def test_create_file(tmp_path):
    folder = tmp_path / "sub"
    folder.mkdir()
    path = folder / "hello.txt"
    path.write_text(CONTENT)
    assert path.read_text() == CONTENT
    assert len(list(tmp_path.iterdir())) == 1


def test_wrong(tmp_path):
    path = tmp_path / "hello.txt"
    path.write_text(CONTENT)
    assert path.read_text() == "contents"
