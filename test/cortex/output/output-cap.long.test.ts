/** The output of a run must neither fill the disk nor, when somebody else filled it, be lost. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AgentOutput } from "../../../cortex/output/agent-output.ts";
import { printedOutput } from "../../../cortex/ports/run-processes.ts";
import { LineRate, maxFileLines } from "../../../cortex/output/output-cap.ts";
import { activeFile, endedFile, runsFolder } from "../../../journal/runs/run-files.ts";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { verifyRun } from "../../../journal/ended-runs/verify-run.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { noSmallDisk, SmallDisk } from "../../support/files/small-disk.ts";

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
      short: inline(`process.stdout.write("x\\n".repeat(40_000)); setInterval(() => {}, 1000)`),
      controls: inline(`process.stdout.write("\\u0001".repeat(300_000) + "\\n"); setInterval(() => {}, 1000)`),
      blank: inline(`process.stdout.write("\\n".repeat(400_000)); setInterval(() => {}, 1000)`),
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
  expect(bytesBeforeEnd(id)).toBeLessThanOrEqual(100_000);
  expect(bytesBeforeEnd(id)).toBeGreaterThan(90_000);
});

test.concurrent("a run whose few bytes become many in its file is stopped at the same cap", async () => {
  const ids = ["short", "controls"].map((backend) =>
    system.request({ prompt: "go", backend, max_output_bytes: 1_000_000 }),
  );
  for (const id of ids) {
    const file = await system.settled(id);
    expect(file.find(isTerminal)).toMatchObject({
      reason: "budget",
      error: "what it printed makes its file longer than max_output_bytes, 1000000 bytes",
    });
    expect(bytesBeforeEnd(id)).toBeLessThanOrEqual(1_000_000);
  }
});

test.concurrent("a run that prints lines faster than anybody reads them is stopped, also when they say nothing", async () => {
  const file = await system.settled(system.request({ prompt: "go", backend: "blank" }));
  expect(file.find(isTerminal)).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("1000 more each second"),
  });
});

test("an attempt may print some lines at once, more each second, and what it printed unwatched is not haste", () => {
  const linesUntilStop = (rate: LineRate, now: number) => {
    let lines = 1;
    while (rate.count(now) === null) lines++;
    return lines;
  };
  expect(linesUntilStop(new LineRate(0, 0), 0)).toBe(250_001);
  expect(linesUntilStop(new LineRate(0, 0), 10_000)).toBe(260_001);
  expect(linesUntilStop(new LineRate(60_000, 0), 0)).toBe(310_001);
});

test("a run whose file has as many lines as it may have is told so, and no further line is written", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-output-"));
  try {
    writeFileSync(join(folder, "out"), "one\ntwo\nthree\n");
    const [written, told]: [unknown[], string[]] = [[], []];
    const output = new AgentOutput(printedOutput, folder, 1_000_000, 0, {
      nextSeq: () => maxFileLines + written.length - 1,
      size: () => 0,
      heard: () => {},
      inTurn: (work) => work(),
      isPlain: () => true,
      write: async (events) => (written.push(...events), events),
      step: async () => {},
      pass: () => {},
      used: async () => {},
      tooMuch: async (error) => void told.push(error),
      paced: async () => {},
    });
    await output.readWhatIsThere();
    expect(written).toMatchObject([{ message: "one" }, { message: "two" }]);
    expect(told).toEqual([`printed more than the ${maxFileLines} lines that a run's file may have`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The length of an ended run's file before its last line, the terminal event. */
function bytesBeforeEnd(id: string): number {
  const path = endedFile(system.journal, id);
  return statSync(path).size - Buffer.byteLength(`${readFileSync(path, "utf8").trimEnd().split("\n").at(-1)}\n`);
}

test.concurrent("a run that prints a line without end, or to stderr only, is bounded as well", async () => {
  const ids = ["lineless", "grumbler"].map((backend) =>
    system.request({ prompt: "go", backend, max_output_bytes: 1_000_000 }),
  );
  for (const id of ids) expect((await system.settled(id)).find(isTerminal)).toMatchObject({ reason: "budget" });
});

test.skipIf(noSmallDisk)("a run on a full disk waits and isn't lost; then file and bus agree", async () => {
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
