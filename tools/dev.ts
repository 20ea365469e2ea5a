/** `npm run dev`: `cortex up` on a copy of the example journal, started anew whenever a source changes. Ctrl-C ends it. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { shippedFolders } from "./layers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const journal = mkdtempSync(join(tmpdir(), "cortex-dev-"));
cpSync(join(root, "examples/journal"), journal, { recursive: true });
const settings = join(journal, "cortex.json");
const before = existsSync(settings) ? (JSON.parse(readFileSync(settings, "utf8")) as Record<string, unknown>) : {};
// Runs that a change interrupts are taken up again.
writeFileSync(settings, JSON.stringify({ ...before, stop_grace_seconds: 1 }));
process.stdout.write(`export JOURNAL_PATH=${journal}   # in another terminal\n`);

const watched = shippedFolders.map((folder) => `--watch-path=${join(root, folder)}`);
const up = execa(process.execPath, [...watched, "--watch-preserve-output", join(root, "bin/cortex.js"), "up"], {
  env: { JOURNAL_PATH: journal, CORTEX_MCP_PORT: "0", CORTEX_WEB_PORT: "0" },
  stdio: "inherit",
  reject: false,
});
// The terminal tells both of us; whoever else ends us doesn't.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => up.kill("SIGTERM"));
await up;
await execa(process.execPath, [join(root, "bin/cortex.js"), "down"], { env: { JOURNAL_PATH: journal }, reject: false });
rmSync(journal, { recursive: true, force: true });
