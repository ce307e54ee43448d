// Finds and loads the WebAssembly of a part of the package.

/** Makes an `init` that loads a module once; a failed attempt may be repeated. */
export function loader(load, file) {
  /** @type {Promise<void> | undefined} */
  let loaded;
  return function init(source) {
    loaded ??= instantiate(load, source ?? onDisk(file)).catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

async function instantiate(load, source) {
  await load(source === undefined ? undefined : { module_or_path: await source });
}

/** Returns the file's bytes in Node, where `fetch` cannot read files. */
function onDisk(file) {
  if (file.protocol !== "file:") return undefined;
  return globalThis.process?.getBuiltinModule?.("node:fs/promises").readFile(file);
}
