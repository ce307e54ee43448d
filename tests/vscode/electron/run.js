/** Runs `suite.cjs` in VS Code's own desktop program, which this downloads: `npm install @vscode/test-electron && node electron/run.js`. */

import { runTests } from "@vscode/test-electron";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBoard } from "../../browser/board.js";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const board = await startBoard({ rawPaste: true });
const home = await mkdtemp(join(tmpdir(), "flylead-electron-"));
try {
  await writeFile(join(home, "steps.py"), "def add(a, b):\n    total = a + b\n    return total\n\nprint('the sum is', add(20, 22))\n");
  await runTests({
    extensionDevelopmentPath: here("../../../web/vscode"),
    extensionTestsPath: here("suite.cjs"),
    extensionTestsEnv: { FLYLEAD_TEST_BOARD: board.path, FLYLEAD_TEST_COMMAND: here("../../../target/debug/flylead") },
    launchArgs: [home, "--disable-extensions", "--disable-workspace-trust", "--no-sandbox", `--user-data-dir=${join(home, "data")}`],
  });
} finally {
  await board.stop();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}
