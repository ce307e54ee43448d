// The first script of a board's frame. It makes the worker that everything else is in: the frame's policy names this text by its
// hash and allows no other script, so it changes as rarely as can be.

export const BOOT =
  'onmessage=({data,ports})=>{const worker=new Worker(URL.createObjectURL(new Blob([data])));worker.onerror=({message})=>parent.postMessage({failed:message||"its worker could not be loaded"},"*");worker.postMessage(null,ports)};parent.postMessage({here:true},"*")';

/** SHA-256 of {@link BOOT} as a policy has it: a page with a policy of its own has to name it in `script-src`, and `blob:` in `worker-src`. */
export const BOOT_HASH = "sha256-T4x56iFx76yGvZ1RPUvZNibD7fnPD9b1XOMQGphe+zc=";
