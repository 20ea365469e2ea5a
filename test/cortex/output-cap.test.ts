/** What a run prints must neither fill the disk nor, when somebody else filled it, be lost. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { activeFile, endedFile, runsFolder } from "../../journal/run-files.ts";
import { attemptFolder } from "../../journal/run-folder.ts";
import { verifyRun } from "../../journal/verify-run.ts";
import { isTerminal } from "../../protocol/event.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { noSmallDisk, SmallDisk } from "../support/small-disk.ts";

if (noSmallDisk) console.warn(`SKIPPED: a full disk, ${noSmallDisk}`);

const inline = (code: string) => ({ command: [process.execPath, "-e", code] });
const print = (text: string) => `process.stdout.write(JSON.stringify({ event: "text", text: ${text} }) + "\\n")`;
const system = await CortexSystem.start({
  settings: {
    default_backend: "talker",
    backends: {
      talker: inline(`for (let i = 0; i < 200; i++) ${print('"é".repeat(1000) + i')};
        ${print('"end"').replace("text", "finish").replace("text", "result")}`),
      endless: inline(`setInterval(() => { for (let i = 0; i < 50; i++) ${print('"x".repeat(1000)')} }, 1)`),
      grumbler: inline(`setInterval(() => process.stderr.write("y".repeat(100_000)), 1)`),
      lineless: inline(`setInterval(() => process.stdout.write("z".repeat(100_000)), 1)`),
    },
  },
});
afterAll(() => system[Symbol.asyncDispose]());

test.concurrent("a run that prints without end is stopped at its cap, and no line behind it counts", async () => {
  const id = system.request({ prompt: "go", backend: "endless", max_output_bytes: 100_000 });
  const file = await system.settled(id);
  expect(file.find(isTerminal)).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("max_output_bytes, 100000"),
  });
  const line = JSON.stringify({ event: "text", text: "x".repeat(1000) });
  expect(file.filter(({ event }) => event === "text")).toHaveLength(Math.floor(100_000 / (line.length + 1)));
});

test.concurrent("so is one that prints no end of a line, or to stderr alone", async () => {
  const ids = ["lineless", "grumbler"].map((backend) =>
    system.request({ prompt: "go", backend, max_output_bytes: 1_000_000 }),
  );
  for (const id of ids) expect((await system.settled(id)).find(isTerminal)).toMatchObject({ reason: "budget" });
});

test.skipIf(noSmallDisk)("on a full disk a run waits and isn't lost; then file and bus agree", async () => {
  const id = system.nextId();
  using disk = new SmallDisk(runsFolder(system.journal), 1024 * 1024);
  disk.fill(64 * 1024);
  system.request({ prompt: "go" }, id);
  const printed = join(attemptFolder(system.journal, id, 1), "out");
  const hasSaidAll = () => existsSync(printed) && readFileSync(printed, "utf8").includes('"finish"');
  await system.until(hasSaidAll, "its process has said all, for which there is no room");
  // A line that didn't fit is cut off again.
  const hasWholeLines = () => /"request".*\}\n$/s.test(readFileSync(activeFile(system.journal, id), "utf8"));
  await system.until(hasWholeLines, "its file has whole lines");
  disk.empty();
  const file = await system.settled(id);
  expect(file.at(-1)).toMatchObject({ event: "finish", result: "end", seq: 203 });
  expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  expect(system.of(id)).toEqual(file);
  expect(await verifyRun(endedFile(system.journal, id), id)).toMatchObject({ state: "intact" });
});
