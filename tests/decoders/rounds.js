// Runs the decoders in WebAssembly: each line of stdin is a course's number and how many times to run it, each line of
// stdout what was found and the milliseconds that a run took.
'use strict';

const readline = require('node:readline');

const { Course } = require(process.argv[2]);

const courses = new Map();

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const [number, runs] = line.split(' ').map(Number);
  if (!courses.has(number)) courses.set(number, Course.nth(number));
  const course = courses.get(number);
  const start = performance.now();
  let found = 0;
  for (let run = 0; run < runs; run += 1) found = course.run();
  process.stdout.write(`${found} ${(performance.now() - start) / runs}\n`);
});
