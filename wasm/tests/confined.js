// A worker that lets itself be confined, and then says what it can still reach.

import { confine } from "../js/browser-board/guest.js";

const send = self.postMessage.bind(self);
const reach = (name) => {
  try {
    return typeof globalThis[name];
  } catch (error) {
    return error.name;
  }
};

self.onmessage = ({ data }) => {
  confine();
  const found = Object.fromEntries(data.map((name) => [name, reach(name)]));
  const code = [() => {}, async () => {}, function* () {}, async function* () {}];
  const made = code.map((kind) => {
    try {
      return typeof kind.constructor("return 1")();
    } catch (error) {
      return error.name;
    }
  });
  const names = [];
  for (let holder = globalThis; holder !== Object.prototype; holder = Object.getPrototypeOf(holder)) names.push(...Reflect.ownKeys(holder).map(String));
  send({ found, made, names });
};
