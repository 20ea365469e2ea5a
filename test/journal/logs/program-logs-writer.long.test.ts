/** A log whose writer is killed, again and again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasCode } from "../../../files/errors/errno.ts";
import { logFiles } from "../../../journal/logs/program-logs-writer.ts";

const numbers = fileURLToPath(new URL("../../fixtures/logs/numbers.ts", import.meta.url));

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "program-log-"));
  path = join(folder, "logs/x.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A file that is renamed at any moment: empty when it isn't there. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}
/** The numbers in all files, the oldest first. */
const written = (older: number) =>
  logFiles(path, older)
    .toReversed()
    .flatMap((file) => textOf(file).split("\n"))
    .filter((text) => text !== "")
    .map((text) => (JSON.parse(text) as { number?: number }).number);
const upTo = (last: number) => Array.from({ length: last }, (_, at) => 1 + at);

test("kill -9 at any moment of writing and rotating loses no line and doubles none", async () => {
  const older = 100_000;
  let last = 0;
  for (let life = 0; life < 8; life++) {
    const child = spawn(process.execPath, [numbers, path, String(last + 1)], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    using _ = { [Symbol.dispose]: () => void child.kill("SIGKILL") };
    const before = last;
    // It is renamed at any moment.
    const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    while (size() === 0 || count() <= before) await delay(2);
    await delay(Math.random() * 15);
    child.kill("SIGKILL");
    await once(child, "exit");
    last = count();
  }
  expect(written(olderNow())).toEqual(upTo(last));

  function olderNow(): number {
    return logFiles(path, older).findIndex(
      (file, at) => at > 0 && !existsSync(file) && !existsSync(`${path}.${at + 1}`),
    );
  }
  /** The last number that stands in the log, whole. */
  function count(): number {
    for (const file of [path, `${path}.1`, `${path}.2`]) {
      const found = [...textOf(file).matchAll(/"number":(\d+),.*\n/g)].at(-1)?.[1];
      if (found !== undefined) return Number(found);
    }
    return 0;
  }
});
