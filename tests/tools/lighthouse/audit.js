/** `node audit.js URL PORT`: lets Lighthouse look at the page in the browser that listens at a port, and prints what it gives as JSON. */

import lighthouse, { desktopConfig } from "lighthouse";

const [url, port] = process.argv.slice(2);
const { lhr } = await lighthouse(url, { port: Number(port), output: "json", logLevel: "error" }, desktopConfig);
const missed = Object.values(lhr.audits).filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && ["binary", "numeric", "metricSavings"].includes(scoreDisplayMode));
console.log(
  JSON.stringify({
    scores: Object.fromEntries(Object.values(lhr.categories).map(({ id, score }) => [id, Math.round(100 * score)])),
    interactiveMillis: Math.round(lhr.audits.interactive?.numericValue ?? NaN),
    missed: missed.map(({ id, displayValue, title }) => `${id}: ${displayValue ?? title}`),
  }),
);
