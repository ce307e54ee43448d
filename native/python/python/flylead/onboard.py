"""Tests that run on a board: what goes there, and what comes back.

The file goes to the board as it is, and after it, in the same interpreter, a small runner. The board says each test's
name, its end and its time between marks that are drawn anew, so that nothing that a test prints is taken for them.
"""

from __future__ import annotations

import ast
import secrets
from typing import NamedTuple, Optional

from .board import Board
from .errors import BoardRaised


class Result(NamedTuple):
    """How a test ended."""

    kind: str
    """``ok``, ``fail``, ``skip`` or ``xfail``."""
    seconds: float
    """By the board's clock."""
    text: str
    """The traceback, or why it was skipped."""
    output: str
    """What the test printed."""


def names_in(source: bytes, file: str) -> list[tuple[str, int]]:
    """The tests of a file and their lines: functions `test_*`, and those of its `unittest.TestCase` classes.

    >>> names_in(b"def test_a(): pass\\nclass T(unittest.TestCase):\\n  def test_b(self): pass", "t.py")
    [('test_a', 1), ('T.test_b', 3)]
    """
    found: list[tuple[str, int]] = []
    for node in ast.parse(source, file).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            found.append((node.name, node.lineno))
        if isinstance(node, ast.ClassDef) and _is_test_case(node):
            found.extend(_methods(node))
    return found


def _is_test_case(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("TestCase") for base in node.bases)


def _methods(node: ast.ClassDef) -> list[tuple[str, int]]:
    methods = (item for item in node.body if isinstance(item, ast.FunctionDef))
    return [(f"{node.name}.{m.name}", m.lineno) for m in methods if m.name.startswith("test")]


def run(board: Board, source: bytes, file: str, wanted: list[str]) -> dict[str, Result]:
    """Runs the wanted tests of a file on a board, in the interpreter as it is.

    Raises ``BoardRaised`` when the file itself raises; its tests did not run then.
    """
    if b"unittest" in source and not _has_unittest(board):
        board.exec(_UNITTEST)
    try:
        board.exec(source)
    except BoardRaised as raised:
        raise BoardRaised(_named(raised.traceback, file)) from raised
    mark = secrets.token_hex(4)
    board.exec(_RUNNER)
    results: dict[str, Result] = {}
    # One program for a few tests: their names must go into the memory of a micro:bit.
    for start in range(0, len(wanted), _AT_ONCE):
        names = wanted[start : start + _AT_ONCE]
        calls = "".join(f"_t({name!r},lambda:{_call(name)})\n" for name in names)
        output = board.exec(f"_m='{mark[:4]}'+'{mark[4:]}'\n{calls}")
        results.update(_results(output.decode(errors="replace"), mark, file))
    return results


def _call(name: str) -> str:
    test_case, _, method = name.rpartition(".")
    return f"_c({test_case},{method!r})" if test_case else f"{name}()"


def _has_unittest(board: Board) -> bool:
    try:
        board.exec("import unittest\nunittest.TestCase")
    except BoardRaised:
        return False
    return True


def _results(output: str, mark: str, file: str) -> dict[str, Result]:
    """`MARK>name`, what the test prints, `MARK<kind milliseconds`, its traceback or reason, `MARK.`"""
    results: dict[str, Result] = {}
    for part in output.replace("\r\n", "\n").split(f"{mark}>")[1:]:
        name, _, rest = part.partition("\n")
        printed, _, end = rest.partition(f"{mark}<")
        head, _, text = end.partition("\n")
        kind, _, milliseconds = head.partition(" ")
        if milliseconds:
            text = _named(text.partition(f"{mark}.")[0].strip(), file)
            results[name] = Result(kind, int(milliseconds) / 1000, text, printed)
    return results


def _named(traceback: str, file: str) -> str:
    """A traceback without the runner's own lines, and with this computer's file."""
    lines = [line for line in traceback.splitlines() if not line.endswith(_OWN_FRAMES)]
    return "\n".join(lines).replace('File "<stdin>"', f'File "{file}"')


# Boards without a clock in milliseconds count none. The micro:bit's classes have no `__name__`.
_RUNNER = """
import sys
try:
 from time import ticks_ms as _now,ticks_diff as _since
except ImportError:
 _now,_since=lambda:0,lambda a,b:0
def _e(e):
 try:
  sys.print_exception(e)
 except AttributeError:
  print(repr(e))
def _c(c,n):
 t=c()
 try:
  c.setUpClass()
 except AttributeError:
  pass
 if hasattr(t,'setUp'):t.setUp()
 try:
  getattr(t,n)()
 finally:
  if hasattr(t,'tearDown'):t.tearDown()
def _t(n,f):
 print(_m+'>'+n)
 s,k,e=_now(),'ok',None
 try:
  f()
 except Exception as x:
  e=x
  n=repr(x)
  k='skip' if n.startswith('SkipTest(') else 'xfail' if n.startswith('_Expected') else 'fail'
 print(_m+'<'+k,_since(_now(),s))
 if k=='fail':_e(e)
 elif e:print(e)
 print(_m+'.')
"""
_OWN_FRAMES = (", in _t", ", in _c", ", in <lambda>")
# What tests use of `unittest`, for boards without it.
_UNITTEST = """
import sys
class SkipTest(Exception):pass
class _ExpectedFailure(Exception):pass
class _Raises:
 def __init__(self,e):self.expected=e
 def __enter__(self):return self
 def __exit__(self,t,v,b):
  self.exception=v
  if t is None:raise AssertionError('%r not raised'%self.expected)
  return issubclass(t,self.expected)
class _Sub:
 def __init__(self,m,k):self.words=m,k
 def __enter__(self):pass
 def __exit__(self,t,v,b):
  if t:print('subTest',*self.words)
class TestCase:
 def fail(self,m=''):raise AssertionError(m)
 def assertTrue(self,x,m=''):assert x,m or '%r is not true'%(x,)
 def assertFalse(self,x,m=''):assert not x,m or '%r is not false'%(x,)
 def assertEqual(self,a,b,m=''):assert a==b,m or '%r != %r'%(a,b)
 def assertNotEqual(self,a,b,m=''):assert a!=b,m or '%r == %r'%(a,b)
 def assertIs(self,a,b,m=''):assert a is b,m or '%r is not %r'%(a,b)
 def assertIsNot(self,a,b,m=''):assert a is not b,m or '%r is %r'%(a,b)
 def assertIsNone(self,x,m=''):assert x is None,m or '%r is not None'%(x,)
 def assertIsNotNone(self,x,m=''):assert x is not None,m or 'is None'
 def assertIn(self,a,b,m=''):assert a in b,m or '%r not in %r'%(a,b)
 def assertNotIn(self,a,b,m=''):assert a not in b,m or '%r in %r'%(a,b)
 def assertIsInstance(self,a,b,m=''):assert isinstance(a,b),m or '%r is no %r'%(a,b)
 def assertGreater(self,a,b,m=''):assert a>b,m or '%r <= %r'%(a,b)
 def assertLess(self,a,b,m=''):assert a<b,m or '%r >= %r'%(a,b)
 def assertAlmostEqual(self,a,b,places=7,m=''):assert round(abs(a-b),places)==0,m or '%r != %r'%(a,b)
 def assertRaises(self,e,f=None,*a,**k):
  if f is None:return _Raises(e)
  with _Raises(e):f(*a,**k)
 def skipTest(self,r):raise SkipTest(r)
 def subTest(self,m='',**k):return _Sub(m,k)
def skip(r):
 def w(f):
  def g(*a):raise SkipTest(r)
  return g
 return w
def skipIf(c,r):return skip(r) if c else lambda f:f
def skipUnless(c,r):return skipIf(not c,r)
def expectedFailure(f):
 def g(*a):
  try:f(*a)
  except Exception as e:raise _ExpectedFailure(repr(e))
  raise AssertionError('unexpected success')
 return g
def main(*a,**k):pass
class _Module:pass
_u=_Module()
for _n in ('TestCase','SkipTest','skip','skipIf','skipUnless','expectedFailure','main'):setattr(_u,_n,globals()[_n])
sys.modules['unittest']=_u
"""
_AT_ONCE = 16
