/** What a cortex that is killed in the midst of a line leaves behind. */
import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { activeFile, endedFile } from "../../journal/run-files.ts";
import { verifyRun } from "../../journal/verify-run.ts";
import type { AgentEvent } from "../../protocol/event.ts";
import { CortexSystem } from "../support/cortex-system.ts";

vi.setConfig({ testTimeout: 240_000 });

/** Says two things, waits to be told, and finishes. */
const patient = `read -r l; echo '{"event":"text","text":"one é"}'; echo '{"event":"text","text":"two"}'; read -r l; echo '{"event":"finish","result":"done"}'`;
const names = (events: AgentEvent[]) => events.map(({ event }) => event);

test("a torn last line is cut and read again, wherever it was torn", async () => {
  await using system = await CortexSystem.start({
    settings: {
      max_concurrent: 100,
      default_backend: "patient",
      backends: { patient: { command: ["sh", "-c", patient] } },
    },
  });
  const ids = Array.from({ length: 70 }, () => system.request({ prompt: "x" }));
  for (const id of ids) await system.until(() => names(system.of(id)).length === 4, "both lines were heard", 90_000);
  await system.killCortex();
  const files = ids.map((id) => activeFile(system.journal, id));
  for (const [index, file] of files.entries()) {
    const { length } = readFileSync(file);
    // Every third byte of the two last lines and the end of the one before, then all; the last ones get what was never whole.
    if (index === 66) truncateSync(file, 0);
    else if (index < 67) truncateSync(file, length - index * 3);
    else appendFileSync(file, ['{"event":"te', "\u0000\u0000\u0000", '{"event":"text"}'][index - 67] ?? "");
  }
  await system.startCortex();
  for (const id of ids) await system.until(() => names(system.of(id)).includes("adopted"), "it is adopted");
  for (const id of ids) system.input(id, "go");
  for (const id of ids) {
    const file = await system.settled(id);
    expect(await verifyRun(endedFile(system.journal, id), id)).toMatchObject({ state: "intact", problems: [] });
    expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
    expect(names(file).filter((name) => name !== "adopted")).toEqual([
      "request",
      "start",
      "text",
      "text",
      "input",
      "finish",
    ]);
    expect(file.filter(({ event }) => event === "text").map(({ text: words }) => words)).toEqual(["one é", "two"]);
    expect(names(file).filter((name) => name === "adopted")).toHaveLength(1);
  }
});
