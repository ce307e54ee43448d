// Objects that must outlive their last reference. What garbage collection frees in JavaScript is freed in WebAssembly, too, and a
// conversation that is freed is closed, though somebody may await the promise of a request or read its output.

const HELD = new Set();

/** Holds an object until this promise settles. */
export function hold(object, until) {
  HELD.add(object);
  const release = () => void HELD.delete(object);
  until.then(release, release);
}

/** Holds what these functions of a class make until its conversation has ended. */
export function holdMade(conversations, ...names) {
  for (const name of names) {
    const make = conversations[name];
    conversations[name] = (...all) => held(make.apply(conversations, all));
  }
}

function held(made) {
  if (made instanceof Promise) return made.then(held);
  hold(made, made.lost);
  return made;
}
