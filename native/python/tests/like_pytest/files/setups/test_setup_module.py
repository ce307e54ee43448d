"""setup_module and teardown_module."""

state = []


def setup_module(module):
    state.append("ready")


def teardown_module(module):
    state.append("over")


def test_ready():
    assert state == ["ready"]


def test_more():
    assert state == ["ready", "x"]
