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
  return m.run(r) if hasattr(r,'throw') else r
 return g
# part: classes
_fl_out=print
def _fl_up(f,*a):
 try:
  f(*a)
 except BaseException:
  _fl_out(_fl_m+'p')
  raise
def _fl_try(f,*a):
 try:
  _fl_do(f,*a)
 except KeyboardInterrupt:
  raise
 except BaseException as e:
  _fl_out(_fl_m+'t')
  try:
   _fl_sys.print_exception(e)
  except AttributeError:
   _fl_out(repr(e))
  _fl_out(_fl_m+'.')
def _fl_around(f,m):
 try:
  _fl_do(f,m)
 except TypeError as e:
  if 'argument' not in str(e):raise
  _fl_do(f)
def _fl_class(c,n):
 if not isinstance(c,type):c(None)
 if hasattr(c,n):_fl_do(getattr(c,n))
# part: plain
def _fl_plain(c,n,w=lambda f:f):
 t=c()
 m=getattr(t,n)
 if hasattr(t,'setup_method'):_fl_up(_fl_around,t.setup_method,m)
 try:
  _fl_do(w(m))
 finally:
  if hasattr(t,'teardown_method'):_fl_try(_fl_around,t.teardown_method,m)
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
  raise AssertionError('Unexpected success')
 return g
# part: ours
class SkipTest(Exception):pass
class _fl_Raises:
 def __init__(self,e):self.expected=e
 def __enter__(self):return self
 def __exit__(self,t,v,b):
  self.exception=v
  if t is None:raise AssertionError('%s not raised'%getattr(self.expected,'__name__',self.expected))
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
 def assertIsNot(self,a,b,m=''):assert a is not b,m or 'unexpectedly identical: %r'%(a,)
 def assertIsNone(self,x,m=''):assert x is None,m or '%r is not None'%(x,)
 def assertIsNotNone(self,x,m=''):assert x is not None,m or 'unexpectedly None'
 def assertIn(self,a,b,m=''):assert a in b,m or '%r not found in %r'%(a,b)
 def assertNotIn(self,a,b,m=''):assert a not in b,m or '%r unexpectedly found in %r'%(a,b)
 def assertIsInstance(self,a,b,m=''):assert isinstance(a,b),m or '%r is not an instance of %r'%(a,b)
 def assertNotIsInstance(self,a,b,m=''):assert not isinstance(a,b),m or '%r is an instance of %r'%(a,b)
 def assertGreater(self,a,b,m=''):assert a>b,m or '%r not greater than %r'%(a,b)
 def assertGreaterEqual(self,a,b,m=''):assert a>=b,m or '%r not greater than or equal to %r'%(a,b)
 def assertLess(self,a,b,m=''):assert a<b,m or '%r not less than %r'%(a,b)
 def assertLessEqual(self,a,b,m=''):assert a<=b,m or '%r not less than or equal to %r'%(a,b)
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
# part: pytest
_fl_Skip,_fl_Failed,_fl_Expected,_fl_Passed,_fl_Said=[type(n,(BaseException,),{})for n in('SkipTest','Failed','_fl_Expected','_fl_Passed','_fl_Said')]
_fl_marks,_fl_fx,_fl_cache,_fl_stack={},{},{},[]
class _fl_Mark:
 def __init__(s,n,a=(),k={}):s.name,s.args,s.kwargs=n,a,k
 def __call__(s,*a,**k):
  if len(a)==1 and not k and callable(a[0]):
   _fl_marks.setdefault(id(a[0]),[]).append(s)
   return a[0]
  if s.name=='parametrize':a=[list(x)if i==1 else x for i,x in enumerate(a)]
  k.update(s.kwargs)
  return _fl_Mark(s.name,s.args+tuple(a),k)
class _fl_Marks:
 def __getattr__(s,n):return _fl_Mark(n)
class _fl_Param:
 def __init__(s,*v,id=None,marks=()):s.values,s.marks=v,marks
class _fl_Info:
 def __repr__(s):return'<ExceptionInfo %r tblen=1>'%s.value
 def match(s,p):
  import re
  if not re.search(p,str(s.value)):raise AssertionError('Regex pattern did not match.\n  Expected regex: %r\n  Actual message: %r'%(p,str(s.value)))
  return True
 def errisinstance(s,e):return isinstance(s.value,e)
class _fl_Raising:
 def __init__(s,e,m):s.e,s.m,s.i=e,m,_fl_Info()
 def __enter__(s):return s.i
 def __exit__(s,t,v,b):
  if t is None:
   n=s.e
   n='any of (%s)'%', '.join([e.__name__ for e in n])if isinstance(n,tuple)else n.__name__
   raise _fl_Failed('DID NOT RAISE '+n)
  if not issubclass(t,s.e):return False
  s.i.value,s.i.type=v,t
  if s.m is not None:s.i.match(s.m)
  return True
class _fl_Approx:
 def __init__(s,x,rel=None,abs=None,nan_ok=False):s.x,s.r,s.a,s.n=x,rel,abs,nan_ok
 def of(s,x):return _fl_Approx(x,s.r,s.a,s.n)
 def tolerance(s):
  if s.a is not None and s.r is None:return s.a
  return max((1e-6 if s.r is None else s.r)*abs(s.x),1e-12 if s.a is None else s.a)
 def __eq__(s,o):
  x=s.x
  if isinstance(x,dict):
   return isinstance(o,dict)and len(o)==len(x)and all([k in o and s.of(x[k])==o[k]for k in x])
  if isinstance(x,(list,tuple)):
   return isinstance(o,(list,tuple))and len(o)==len(x)and all([s.of(a)==b for a,b in zip(x,o)])
  if not isinstance(x,(int,float))or not isinstance(o,(int,float)):return x==o
  if x!=x:return s.n and o!=o
  return x==o or abs(x)!=float('inf')and abs(x-o)<=s.tolerance()
 def __repr__(s):
  r=s.shown()
  return'approx(%s)'%r if isinstance(s.x,(dict,list,tuple))else r
 def shown(s):
  x=s.x
  if isinstance(x,dict):return'{%s}'%', '.join(['%r: %s'%(k,s.of(x[k]).shown())for k in x])
  if isinstance(x,(list,tuple)):
   r=', '.join([s.of(y).shown()for y in x])
   return'[%s]'%r if isinstance(x,list)else'(%s%s)'%(r,','*(len(x)==1))
  if not isinstance(x,(int,float))or x!=x or abs(x)==float('inf'):return repr(x)
  t=s.tolerance()
  return'%r \xb1 %s'%(x,'%g'%t if 1e-3<=t<1e3 else'%.1e'%t)
class _fl_p:
 mark=_fl_Marks()
 param=_fl_Param
 approx=_fl_Approx
 def raises(s,e,*a,match=None,**k):
  r=_fl_Raising(e,match)
  if not a:return r
  with r:
   a[0](*a[1:],**k)
  return r.i
 def skip(s,reason='',allow_module_level=False):raise _fl_Skip(reason)
 def fail(s,reason='',pytrace=True):raise _fl_Failed(reason)
 def xfail(s,reason=''):raise _fl_Expected(reason)
 def importorskip(s,n,minversion=None,reason=None):
  try:
   m=__import__(n)
  except ImportError:
   raise _fl_Skip(reason or'could not import %r'%n)
  for a in n.split('.')[1:]:m=getattr(m,a)
  return m
 def fixture(s,f=None,scope='function',params=None,**k):
  def w(f):
   _fl_fx[id(f)]=scope,params and list(params)
   return f
  return w if f is None else w(f)
_fl_p=_fl_p()
_fl_sys.modules['pytest']=_fl_sys.modules['pytest_asyncio']=_fl_p
class _fl_Node:
 def __repr__(s):return'<%s %s>'%('TestCaseFunction'if s.kind==2 else'Function',s.name)
class _fl_Req:
 def __init__(s,c,n,z,l,x=None):
  s._c,s.fixturename,s._z,s.scope,s.node=c,n,z,l,c
  s.cls,s.instance,s.function=c.cls,c.instance,c.function
  if x:s.param=x[0]
 def __repr__(s):return'<%s for %r>'%('FixtureRequest'if s.fixturename=='request'else'SubRequest %r'%s.fixturename,s.node)
 def addfinalizer(s,f):s._z.append((f,))
 def getfixturevalue(s,n):return _fl_get(s._c,n)
class _fl_File:
 def __getattr__(s,n):
  try:
   return globals()[n]
  except KeyError:
   raise AttributeError(n)
_fl_file=_fl_File()
def _fl_home(o):
 if o=='':return _fl_file
 return __import__('_fl_conftest%d'%o)if type(o)is int else eval(o)
def _fl_rest(g):
 try:
  next(g)
 except StopIteration:
  return
 raise _fl_Failed("fixture function has more than one 'yield'")
def _fl_get(c,n,i=0):
 if not i and n in c.values:return c.values[n]
 if n=='request':return _fl_Req(c,n,c.last,'function')
 d=[d for d in _fl_ft if d[0]==n and(not d[1]or type(d[1])is int or(c.path+'.').startswith(d[1]+'.'))]
 if i<len(d):
  _,o,m,a,k=d[i]
  h=_fl_home(o)
  f=getattr(h,m)
  l=_fl_fx.get(id(f),('function',))[0]
  if o and type(o)is str and c.instance:f=getattr(c.instance,m)
 elif n in _fl_builtin:o,m,a,k,l,f=-1,n,'','g','function',_fl_builtin[n]
 else:raise _fl_Said("fixture '%s' not found"%n)
 x=c.params.get(n)
 q=x and x[1]
 e=_fl_cache.get((o,m))
 if e:
  if e[0]==q:return e[1]
  j=[b[1]for b in _fl_stack].index((o,m))
  for b in reversed(_fl_stack[j:]):
   if b[0]<2 and type(b[1])is tuple or b[1]==(o,m):_fl_drop(b)
 v=[]
 z=[]
 for b in a.split():v.append(_fl_Req(c,n,z,l,x)if b=='request'else _fl_get(c,b,i+1 if b==n else 0))
 _fl_stack.append((2 if l=='function'else 1 if l=='class'else 0,(o,m),z))
 if'a'in k:raise NotImplementedError('an async fixture with yield does not run on boards')
 r=(_fl_async(f)if'c'in k else f)(*v)
 if'g'in k:
  g=r
  r=next(g)
  z.append((_fl_rest,g))
 _fl_cache[(o,m)]=q,r
 return r
def _fl_drop(e):
 _fl_stack.remove(e)
 _fl_cache.pop(e[1],0)
 while e[2]:_fl_try(*e[2].pop())
 return e[1]
def _fl_end(l):
 for e in[e for e in reversed(_fl_stack)if e[0]>=l]:_fl_drop(e)
def _fl_once(l,k,h,up,down,m):
 e=_fl_cache.get(k)
 if e:raise e
 if e is not None:return
 _fl_cache[k]=0
 z=[]
 _fl_stack.append((l,k,z))
 try:
  if hasattr(h,up):_fl_around(getattr(h,up),m)
 except Exception as e:
  _fl_cache[k]=e
  raise
 if hasattr(h,down):z.append((_fl_around,getattr(h,down),m))
def _fl_holds(m):
 a=m.args+((m.kwargs['condition'],)if'condition'in m.kwargs else())
 return any([eval(x)if isinstance(x,str)else x for x in a])
def _fl_why(m,w=''):return m.kwargs.get('reason',m.args[0]if m.name=='skip'and m.args else w)
def _fl_list(m):return list(m)if isinstance(m,(list,tuple))else[m]
def _fl_value(c,ms,names,v,indirect,at):
 if isinstance(v,_fl_Param):
  ms[:0]=_fl_list(v.marks)
  v=v.values
 elif len(names)==1:v=(v,)
 for n,x in zip(names,v):
  if indirect is True or indirect and n in indirect:c.params[n]=x,at
  else:c.values[n]=x
def _fl_pt(k,p,n,t,al,ar,ix,fx,w=lambda f:f):
 c=_fl_Node()
 c.kind=k
 c.path,c.name,c.originalname,c.values,c.params,c.last,c.cls,c.instance=p,t,n,{},{},[],None,None
 if p:
  c.cls=eval(p)
  if not isinstance(c.cls,type):c.cls(None)
 c.function=f=getattr(c.cls if p else _fl_file,n)
 ms=list(_fl_marks.get(id(f),()))
 q=p
 while q:
  h=eval(q)
  ms+=_fl_list(h.__dict__.get('pytestmark',()))+_fl_marks.get(id(h),[])
  q=q[:max(q.rfind('.'),0)]
 ms+=_fl_list(getattr(_fl_file,'pytestmark',()))
 for m,i in zip([m for m in ms if m.name=='parametrize'],ix):
  if i is None:raise _fl_Skip('got empty parameter set')
  a=m.args+tuple([m.kwargs[b]for b in('argnames','argvalues')if b in m.kwargs])
  b=a[0].replace(',',' ').split()if isinstance(a[0],str)else a[0]
  _fl_value(c,ms,b,list(a[1])[i],m.kwargs.get('indirect',a[2]if len(a)>2 else 0),i)
 for a,o,m,i in fx:
  if i is None:raise _fl_Skip('got empty parameter set')
  _fl_value(c,ms,(a,),_fl_fx[id(getattr(_fl_home(o),m))][1][i],True,i)
 x=None
 for m in ms:
  if isinstance(m,_fl_Mark):
   if m.name=='skip'or m.name=='skipif'and _fl_holds(m):raise _fl_Skip(_fl_why(m,'unconditional skip'))
   if m.name=='xfail'and not x and(not m.args and'condition'not in m.kwargs or _fl_holds(m)):x=m
 if x and not x.kwargs.get('run',True):raise _fl_Expected('[NOTRUN] '+_fl_why(x))
 up=1
 try:
  try:
   _fl_once(0,0,_fl_file,'setup_module','teardown_module',_fl_file)
   if p:_fl_once(1,1,c.cls,*(('setUpClass','tearDownClass')if k==2 else('setup_class','teardown_class')),c.cls)
   if k==1:
    c.instance=c.cls()
    f=getattr(c.instance,n)
    _fl_once(2,2,c.instance,'setup_method','teardown_method',f)
   elif not p:_fl_once(2,2,_fl_file,'setup_function','teardown_function',f)
   _fl_stack.append((2,3,c.last))
   for a in al.split():
    try:
     _fl_get(c,a)
    except(ImportError,SyntaxError):
     if a in ar or[d for d in _fl_ft if d[0]==a and(type(d[1])is str or's'not in d[4])]:raise
   v=[_fl_get(c,a)for a in ar.split()]
   up=0
   if k==2:_fl_case(c.cls,n,w)
   else:_fl_do(w(f),*v)
  finally:
   _fl_end(2)
 except KeyboardInterrupt:
  raise
 except BaseException as e:
  r=x and x.kwargs.get('raises')
  if type(e).__name__ in('SkipTest','_fl_Expected'):raise
  if x and(not r or isinstance(e,r)):raise _fl_Expected(_fl_why(x))
  if up:_fl_out(_fl_m+'p')
  raise
 if x:
  if x.kwargs.get('strict'):raise _fl_Said('[XPASS(strict)] '+_fl_why(x))
  raise _fl_Passed(_fl_why(x))
class _fl_Monkey:
 def __init__(s):s._u=[]
 def undo(s):
  while s._u:
   f,*a=s._u.pop()
   f(*a)
 def setattr(s,o,n,*v,raising=True):
  if isinstance(o,str):
   m,_,b=o.rpartition('.')
   return s.setattr(_fl_p.importorskip(m),b,n,raising=raising)
  if hasattr(o,n):s._u.append((setattr,o,n,getattr(o,n)))
  elif raising:raise AttributeError('%r has no attribute %r'%(o,n))
  else:s._u.append((delattr,o,n))
  setattr(o,n,*v)
 def delattr(s,o,n,raising=True):
  if hasattr(o,n):
   s._u.append((setattr,o,n,getattr(o,n)))
   delattr(o,n)
  elif raising:raise AttributeError(n)
 def setitem(s,d,k,v):
  s._u.append((d.update,{k:d[k]})if k in d else(d.pop,k,None))
  d[k]=v
 def delitem(s,d,k,raising=True):
  if k in d:
   s._u.append((d.update,{k:d[k]}))
   del d[k]
  elif raising:raise KeyError(k)
 def syspath_prepend(s,p):
  s._u.append((_fl_sys.path.remove,p))
  _fl_sys.path.insert(0,p)
 def chdir(s,p):
  import os
  s._u.append((os.chdir,os.getcwd()))
  os.chdir(str(p))
def _fl_monkeypatch():
 m=_fl_Monkey()
 yield m
 m.undo()
class _fl_Capture:
 def __init__(s):s.o=''
 def put(s,*a,sep=' ',end='\n',file=None):
  if file:_fl_out(*a,sep=sep,end=end,file=file)
  else:s.o+=sep.join([str(x)for x in a])+end
 def readouterr(s):
  from collections import namedtuple
  r=namedtuple('CaptureResult',('out','err'))(s.o,'')
  s.o=''
  return r
 def disabled(s):return s
 def __enter__(s):
  import builtins
  builtins.print=_fl_out
 def __exit__(s,*a):
  import builtins
  builtins.print=s.put
def _fl_capsys():
 c=_fl_Capture()
 c.__exit__()
 yield c
 c.__enter__()
 _fl_out(c.o,end='')
class _fl_Path:
 def __init__(s,p):s.p=p
 def __str__(s):return s.p
 def __repr__(s):return'PosixPath(%r)'%s.p
 def __truediv__(s,n):return _fl_Path(s.p+'/'+str(n))
 joinpath=__truediv__
 def __eq__(s,o):return s.p==str(o)
 def __hash__(s):return hash(s.p)
 def __getattr__(s,n):
  if n=='name':return s.p[s.p.rfind('/')+1:]
  if n=='parent':return _fl_Path(s.p[:s.p.rfind('/')])
  raise AttributeError(n)
 def open(s,m='r'):return open(s.p,m)
 def _do(s,m,d=None):
  with open(s.p,m)as f:return f.read()if d is None else f.write(d)
 def read_text(s,*a,**k):return s._do('r')
 def read_bytes(s):return s._do('rb')
 def write_text(s,d,*a,**k):return s._do('w',d)
 def write_bytes(s,d):return s._do('wb',d)
 def _is(s,k):
  import os
  try:
   return bool(os.stat(s.p)[0]&k)
  except OSError:
   return False
 def exists(s):return s._is(0xc000)
 def is_dir(s):return s._is(0x4000)
 def is_file(s):return s._is(0x8000)
 def mkdir(s,parents=False,exist_ok=False):
  import os
  if exist_ok and s.is_dir():return
  if parents and not s.parent.exists():s.parent.mkdir(True)
  os.mkdir(s.p)
 def iterdir(s):
  import os
  return iter([s/n for n in os.listdir(s.p)])
 def unlink(s):
  import os
  os.remove(s.p)
 def rmdir(s):
  import os
  os.rmdir(s.p)
 def _clear(s):
  if not s.is_dir():return s.unlink()
  for p in s.iterdir():p._clear()
  s.rmdir()
def _fl_tmp_path():
 import os
 p=_fl_Path(os.getcwd().rstrip('/')+'/_fl_tmp')
 if p.exists():p._clear()
 p.mkdir()
 yield p
 p._clear()
_fl_builtin={'monkeypatch':_fl_monkeypatch,'capsys':_fl_capsys,'tmp_path':_fl_tmp_path}
