// The fake board as a process of its own, on stdin and stdout.

import { Readable, Writable } from "node:stream";

import { Device } from "./device.js";

const { link } = new Device();
Readable.toWeb(process.stdin).pipeTo(link.writable);
link.readable.pipeTo(Writable.toWeb(process.stdout));
