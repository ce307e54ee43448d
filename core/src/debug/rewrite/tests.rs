use alloc::{collections::BTreeSet, string::String};
use std::println;

use super::{Dialect, FunctionId, with_hooks};
use crate::debug::source::Module;

extern crate std;

#[test]
fn show() {
    let text = "\
import x
def f(a, *b):
    \"\"\"doc
    more\"\"\"
    t = 0
    for i in b, a:
        t += i
    if t > 3: return 5
    elif (t):
        pass
    return t
def g(): return f(1,
  2)
class C(object):
  def m(self):
    try:
      1/0
    except (ZeroDivisionError):
      print('z')
    except:
      pass
    return super().m()
  x = 5

  def n(self):
    yield
    y = yield 1, 2
    yield from [3]
async def co():
\tawait f()
\tasync for q in z:
\t\tprint(q)
\tprint(await w)
if x:
  while (g()):
     f(2); f(3)
";
    let module = Module::parse(text).unwrap();
    for dialect in [Dialect::Walrus, Dialect::Old] {
        let all: BTreeSet<_> = (0..module.functions().len()).map(FunctionId).collect();
        let (_, pieces) = with_hooks(&module, &all, dialect);
        for piece in pieces {
            let lines = piece.text.lines().zip(&piece.map);
            let shown: String = lines.map(|(line, number)| std::format!("{number:3} {line}\n")).collect();
            println!("----\n{shown}");
        }
    }
}
