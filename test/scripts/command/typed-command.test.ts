/** Hints name a command that works from where the user stands. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { asTyped } from "../../../scripts/command/typed-command.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const hint = "start it: cortex up; ask: cortex-request; not npx cortex up, nor cortex alone";
const withNpx = "start it: npx cortex up; ask: npx cortex-request; not npx cortex up, nor cortex alone";

function program(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
}

test("a hint names the plain command where it is on the PATH, npx where it is installed in the folder, else the file", () => {
  using folder = temporaryJournal();
  const env = { PATH: `/nowhere:${join(folder.path, "bin")}` };
  const work = join(folder.path, "work", "deep");
  mkdirSync(work, { recursive: true });
  const own = `${checkout}/bin/cortex.js`;
  expect(asTyped("see: cortex status", { folder: work, env })).toBe(`see: ${own} status`);
  for (const name of ["cortex", "cortex-request"]) program(join(folder.path, "work", "node_modules", ".bin", name));
  expect(asTyped(hint, { folder: work, env })).toBe(withNpx);
  for (const name of ["cortex", "cortex-request"]) program(join(folder.path, "bin", name));
  expect(asTyped(hint, { folder: work, env })).toBe(hint);
});

test("npx is named in the checkout, also below npx and npm, which put its programs on the PATH of what they run", () => {
  const env = { PATH: "/nowhere" };
  expect(asTyped(hint, { folder: checkout, env })).toBe(withNpx);
  using folder = temporaryJournal();
  const installed = join(folder.path, "node_modules", ".bin");
  for (const name of ["cortex", "cortex-request"]) program(join(installed, name));
  const below = { PATH: installed, npm_execpath: "/usr/lib/node_modules/npm/bin/npx-cli.js" };
  expect(asTyped(hint, { folder: folder.path, env: below })).toBe(withNpx);
  // Whoever has put that folder on the PATH can type the name.
  expect(asTyped(hint, { folder: folder.path, env: { PATH: installed } })).toBe(hint);
});
