// Programs that try to get out of the browser's board. Each prints OUT when it holds something that is not the board's.

const WANTED = [
  "caches", "indexedDB", "fetch", "WebSocket", "navigator", "importScripts", "XMLHttpRequest", "EventSource", "BroadcastChannel", "Worker",
  "postMessage", "location", "Function", "eval", "constructor", "__proto__",
];
/** Ways to JavaScript, each an expression of Python. */
const WAYS = {
  "the module js": "__import__('js')",
  "its own global object": "__import__('js').globalThis",
  "the module js, imported again": "fresh('js')",
  "a function of the keyboard": "__import__('_keyboard').readline",
  "the keyboard": "__import__('_keyboard')",
  "an object made of a dict": "__import__('jsffi').to_js({'a': 1})",
  "an array made of a list": "__import__('jsffi').to_js([1])",
  "a function made of Python's": "__import__('jsffi').create_proxy(len)",
};

/** Name and source. */
export const GUESTS = [
  ...Object.entries(WAYS).flatMap(([way, object]) => WANTED.map((name) => [`${name} of ${way}`, `held(getattr(${object}, '${name}'))`])),
  ["a function out of text", "import _keyboard\nheld(_keyboard.ticks.constructor('return globalThis')())"],
  ["an item of the global object", "import js\nheld(js['fetch'])"],
  ["what asyncio imported", "import asyncio\nheld(asyncio.core.js.fetch)"],
  ["what jsffi makes of a class", "import jsffi\nheld(jsffi.JsProxy.new)"],
  ["an object that is constructed", "import _keyboard\nheld(_keyboard.ticks.new())"],
  ["a promise", "import jsffi\nheld(jsffi.async_timeout_ms)"],
  ["what a list inherits", "import jsffi\nheld(jsffi.to_js([1]).map)"],
  ["a prototype that is written to", "import js\njs.Object = 1\nheld(js.Object)"],
  ["a keyboard that is written to", "import _keyboard\n_keyboard.ticks = 1\nheld(None if callable(_keyboard.ticks) else 1)"],
  ["a forged reference", FORGED()],
  ["a file of the machine", "import os\nfor path in ('/proc/self/environ', '/dev/stdin0', '/etc/passwd'):\n  try: held(open(path).read())\n  except OSError: pass"],
  ["a name that is no name", "open('/' + 'x' * 300, 'w')\nheld(1)"],
  ["a path above the root", "held([name for name in __import__('os').listdir('/../..') if name not in ROOT] or None)"],
];

/** Makes each object of JavaScript that the program has refer to the global object, by writing to the memory. */
function FORGED() {
  return `
import js, uctypes, _keyboard
# An object of the bridge is its type and a number; 0 is the global object.
for proxy in (_keyboard.__class__ and _keyboard,):
    memory = uctypes.bytearray_at(id(proxy), 16)
    kept = bytes(memory)
    for at in range(4, 16):
        memory[at] = 0
    try:
        for name in ('fetch', 'caches', 'constructor', 'postMessage'):
            held(getattr(proxy, name, None))
    finally:
        memory[:] = kept
`;
}

/** One program that tries them all, and prints what became of each. */
export function attempt(guests = GUESTS) {
  return `
import sys, os
ROOT = os.listdir('/')
def fresh(name):
    sys.modules.pop(name, None)
    return __import__(name)
def held(it):
    global got
    if it is not None and repr(it) != '<undefined>':
        got = it
for name, source in ${JSON.stringify(guests)}:
    got = None
    try:
        exec(source, globals())
        print('OUT: ' + name + ': ' + repr(got)[:80] if got is not None else 'in')
    except (AttributeError, TypeError, OSError, ImportError, EOFError, KeyError) as error:
        print('in')
print('all')
`;
}
