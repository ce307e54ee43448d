# The runner on the board. README.md beside this file says which parts go there and what they print.
# part: run
import sys as _fl_sys
try:
 from time import ticks_ms as _fl_now,ticks_diff as _fl_since
except ImportError:
 try:
  from utime import ticks_ms as _fl_now,ticks_diff as _fl_since
 except ImportError:
  _fl_now,_fl_since=lambda:0,lambda a,b:0
def _fl_do(f,*a):
 if hasattr(f(*a),'throw'):raise TypeError('it gave a generator or coroutine, which nobody ran')
def _fl_run(f,*a):
 s=_fl_now()
 try:
  _fl_do(f,*a)
 except SystemExit as e:
  raise AssertionError('the test ended the interpreter: %r'%e)
 finally:
  print(_fl_m+'e',_fl_since(_fl_now(),s))
# part: asserts
_fl_l=[]
def _fl_b():
 global _fl_l
 o=_fl_l
 _fl_l=[]
 return o
def _fl_v(i,x):
 _fl_l.append((i,x))
 return x
def _fl_e(o,r):
 global _fl_l,_fl_x
 r=not r
 if r:_fl_x=_fl_l
 _fl_l=o
 return not r
def _fl_w(n,*m):
 global _fl_x
 s='v%d'%n
 l,_fl_x=_fl_x,()
 for i,x in l:
  try:
   t=repr(x)
  except Exception as e:
   t='<[%r raised in repr()] %s object>'%(e,type(x).__name__)
  if len(t)>240:t=t[:118]+'...'+t[-119:]
  s+='\t%d\t%s'%(i,t.replace('\r','\\r').replace('\n','\\n').replace('\t','\\t'))
 return(str(m[0])+'\n 'if m else '')+_fl_m+s
# part: coroutines
def _fl_async(f):
 def g(*a):
  try:
   import asyncio as m
  except ImportError:
   try:
    import uasyncio as m
   except ImportError:
    raise NotImplementedError('this board has no asyncio, which runs coroutines')
  if hasattr(m,'new_event_loop'):m.new_event_loop()
  r=f(*a)
  if hasattr(r,'throw'):m.run(r)
 return g
# part: classes
def _fl_class(c,n):
 if not isinstance(c,type):c(None)
 if hasattr(c,n):_fl_do(getattr(c,n))
# part: plain
def _fl_around(f,m):
 try:
  _fl_do(f,m)
 except TypeError as e:
  if 'argument' not in str(e):raise
  _fl_do(f)
def _fl_plain(c,n,w=lambda f:f):
 t=c()
 m=getattr(t,n)
 if hasattr(t,'setup_method'):_fl_around(t.setup_method,m)
 try:
  _fl_do(w(m))
 finally:
  if hasattr(t,'teardown_method'):_fl_around(t.teardown_method,m)
# part: cases
class _fl_Expected(Exception):pass
def _fl_case(c,n,w=lambda f:f):
 if not isinstance(c,type):c(None)
 t=c()
 try:
  if hasattr(t,'setUp'):_fl_do(t.setUp)
  try:
   _fl_do(w(getattr(t,n)))
  finally:
   if hasattr(t,'tearDown'):_fl_do(t.tearDown)
 finally:
  if hasattr(t,'doCleanups'):t.doCleanups()
def _fl_skip(r=''):
 def w(f):
  def g(*a):raise _fl_u.SkipTest(r)
  return g
 return w
def _fl_expected(f):
 def g(*a):
  try:
   _fl_do(f,*a)
  except Exception as e:
   if isinstance(e,_fl_u.SkipTest):raise
   raise _fl_Expected('%s: %s'%(type(e).__name__,e))
  if a and getattr(a[0],'_fl_subs',0) or _fl_failed():raise _fl_Expected('subTest')
  raise AssertionError('unexpected success')
 return g
# part: ours
class SkipTest(Exception):pass
class _fl_Raises:
 def __init__(self,e):self.expected=e
 def __enter__(self):return self
 def __exit__(self,t,v,b):
  self.exception=v
  if t is None:raise AssertionError('%r not raised'%self.expected)
  return issubclass(t,self.expected)
class _fl_Sub:
 def __init__(self,t,m,k):self.t,self.m,self.k=t,m,k
 def __enter__(self):pass
 def __exit__(self,t,v,b):
  if t is None or not issubclass(t,Exception):return
  if not issubclass(t,_fl_u.SkipTest):
   self.t._fl_subs=1
   print(_fl_m+'s',self.m,self.k or '')
   try:
    _fl_sys.print_exception(v)
   except AttributeError:
    print(repr(v))
   print(_fl_m+'.')
  return True
class TestCase:
 def addCleanup(self,f,*a,**k):
  if not hasattr(self,'_fl_last'):self._fl_last=[]
  self._fl_last.append((f,a,k))
 def doCleanups(self):
  while getattr(self,'_fl_last',0):
   f,a,k=self._fl_last.pop()
   f(*a,**k)
 def subTest(self,m='',**k):return _fl_Sub(self,m,k)
 def skipTest(self,r):raise _fl_u.SkipTest(r)
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
 def assertNotIsInstance(self,a,b,m=''):assert not isinstance(a,b),m or '%r is a %r'%(a,b)
 def assertGreater(self,a,b,m=''):assert a>b,m or '%r <= %r'%(a,b)
 def assertGreaterEqual(self,a,b,m=''):assert a>=b,m or '%r < %r'%(a,b)
 def assertLess(self,a,b,m=''):assert a<b,m or '%r >= %r'%(a,b)
 def assertLessEqual(self,a,b,m=''):assert a<=b,m or '%r > %r'%(a,b)
 def assertAlmostEqual(self,a,b,places=7,msg='',delta=None):assert a==b or(round(abs(a-b),places)==0 if delta is None else abs(a-b)<=delta),msg or '%r != %r'%(a,b)
 def assertNotAlmostEqual(self,a,b,places=7,msg='',delta=None):assert a!=b and(round(abs(a-b),places)!=0 if delta is None else abs(a-b)>delta),msg or '%r == %r'%(a,b)
 def assertRaises(self,e,f=None,*a,**k):
  if f is None:return _fl_Raises(e)
  with _fl_Raises(e):f(*a,**k)
class _fl_u:pass
_fl_u=_fl_u()
_fl_failed=lambda:0
_fl_u.TestCase,_fl_u.SkipTest,_fl_u.skip,_fl_u.expectedFailure=TestCase,SkipTest,_fl_skip,_fl_expected
_fl_u.skipIf=lambda c,r='':_fl_skip(r) if c else lambda f:f
_fl_u.skipUnless=lambda c,r='':_fl_u.skipIf(not c,r)
_fl_u.main=lambda *a,**k:None
_fl_sys.modules['unittest']=_fl_ours=_fl_u
del TestCase,SkipTest
# part: installed
import unittest as _fl_u
_fl_u.skip,_fl_u.expectedFailure,_fl_u.main=_fl_skip,_fl_expected,lambda *a,**k:None
def _fl_failed():
 r=getattr(_fl_u,'__test_result__',None)
 return r and r.failures+r.errors
def _fl_case(c,n,w=lambda f:f,f=_fl_case):
 if hasattr(_fl_u,'TestResult'):_fl_u.__test_result__,_fl_u.__current_test__=_fl_u.TestResult(),(n,)
 try:
  f(c,n,w)
 finally:
  for d,e in _fl_failed() or ():
   print(_fl_m+'s',*d[1:])
   print(e)
   print(_fl_m+'.')
