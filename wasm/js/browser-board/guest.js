// Keeps a program on the board away from the page. There are two walls, each of which suffices: the worker loses all
// access to the page, its storage and the network (`confine`), and the interpreter's bridge to JavaScript leads only to
// the keyboard (`restrict`). Both list what stays, so that additions of future browsers are removed, too.

/** Names that ECMAScript defines, without `eval` and `Function`, which would lead to `import()`. */
const LANGUAGE = [
  "Object", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined", "Boolean", "String", "Symbol", "Date", "Promise",
  "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "globalThis", "JSON",
  "Math", "ArrayBuffer", "SharedArrayBuffer", "Atomics", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array",
  "Float32Array", "Float64Array", "Uint8ClampedArray", "BigUint64Array", "BigInt64Array", "DataView", "Map", "BigInt", "Set", "Iterator",
  "WeakMap", "WeakSet", "WeakRef", "Proxy", "Reflect", "FinalizationRegistry", "decodeURI", "decodeURIComponent", "encodeURI",
  "encodeURIComponent", "isFinite", "isNaN",
];
/** Further names that the interpreter and its worker use. */
const USED = ["WebAssembly", "TextDecoder", "TextEncoder", "console"];
const KEPT = new Set([...LANGUAGE, ...USED]);

/**
 * Removes everything but {@link KEPT} from the worker, from its global object and all prototypes of that. Fails if the
 * browser does not permit it: then no program may run.
 */
export function confine(scope = globalThis) {
  const now = performance.now.bind(performance);
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  for (let holder = scope; holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const name of Reflect.ownKeys(holder)) if (holder !== scope || !KEPT.has(name)) Reflect.deleteProperty(holder, name);
  }
  // Emscripten needs these to detect its environment.
  const given = { WorkerGlobalScope: true, performance: hollow({ now }), crypto: hollow({ getRandomValues }), fetch: async () => refuse() };
  for (const [name, value] of Object.entries(given)) Object.defineProperty(scope, name, { value, writable: false });
  const code = [function () {}, async function () {}, function* () {}, async function* () {}];
  for (const kind of code) Object.defineProperty(Object.getPrototypeOf(kind), "constructor", { value: refuse, writable: false, configurable: false });
  const left = remains(scope).filter((name) => !(name in given));
  if (left.length > 0) throw new Error(`this browser does not let the board's worker do without ${left.join(", ")}`);
}

/** Lists names within reach of a worker that are not in {@link KEPT}; mere values, which lead nowhere, may remain. */
function remains(scope) {
  const found = [];
  for (let holder = scope; holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) {
    for (const name of Reflect.ownKeys(holder)) {
      if (holder === scope && KEPT.has(name)) continue;
      const { value, get } = Reflect.getOwnPropertyDescriptor(holder, name);
      if (get || typeof value === "object" || typeof value === "function") found.push(String(name));
    }
  }
  return found;
}

/** Creates an object that has nothing but its members. */
export function hollow(members) {
  return Object.freeze(Object.assign(Object.create(null), members));
}

function refuse() {
  throw new Error("programs on the browser's board have no way out of it");
}

/**
 * Restricts the interpreter's bridge to JavaScript (`ports/webassembly/objjsproxy.c`) to `granted` and its functions:
 * the module `js` is empty, `jsffi` makes nothing, and nothing can be set or constructed. This also applies to a
 * program that forges a reference to an object by writing to the interpreter's memory (`uctypes`), because each use of
 * a reference is checked here. Refused calls return `undefined`: a JavaScript exception would leave the interpreter in
 * an inconsistent state.
 */
export function restrict(env, granted, memory) {
  const functions = new Set(Object.values(granted).filter((value) => typeof value === "function"));
  const at = (reference) => globalThis.proxy_js_ref[reference];
  const undefinedAt = (place) => void new Uint32Array(memory()).set(UNDEFINED, place / Uint32Array.BYTES_PER_ELEMENT);
  for (const name of ["lookup_attr", "has_attr"]) {
    const look = env[name];
    env[name] = (reference, ...rest) => (at(reference) === granted ? look(reference, ...rest) : 0);
  }
  for (const name of ["call0", "call1", "call2", "calln", "call0_kwarg", "calln_kwarg"]) {
    const call = env[name];
    env[name] = (reference, ...rest) => (functions.has(at(reference)) ? call(reference, ...rest) : undefinedAt(rest.at(-1)));
  }
  for (const name of ANSWERING) if (name in env) env[name] = (...all) => undefinedAt(all.at(-1));
  for (const [name, value] of Object.entries(SILENT)) if (name in env) env[name] = () => value;
  env.js_get_error_info = (_, name, message) => (undefinedAt(name), undefinedAt(message));
}

/** Value that the bridge takes for `undefined` (`PROXY_KIND_JS_UNDEFINED`), in its three words. */
const UNDEFINED = [0, 0, 0];
/** Imports whose last argument is the address of their result. */
const ANSWERING = [
  "js_reflect_construct", "js_get_iter", "js_subscr_load", "proxy_convert_mp_to_js_then_js_to_mp_obj_jsside",
  "proxy_convert_mp_to_js_then_js_to_js_then_js_to_mp_obj_jsside", "create_promise", "js_then_continue",
];
/** Imports that return a number, or nothing. */
const SILENT = { store_attr: undefined, js_subscr_store: undefined, js_iter_next: 0, js_then_resolve: undefined, js_then_reject: undefined, js_check_existing: -1 };
