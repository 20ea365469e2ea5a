/** The file that a cortex leaves behind that is killed in the midst of a line: cut anywhere. */
import { appendFileSync, readFileSync, truncateSync } from "node:fs";
import { expect, test } from "vitest";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { verifyRun } from "../../../journal/ended-runs/verify-run.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem } from "../../support/cortex-system.ts";

/** Says two things, waits to be told, and finishes. */
const patient = `read -r l; echo '{"event":"text","text":"one é"}'; echo '{"event":"text","text":"two"}'; read -r l; echo '{"event":"finish","result":"done"}'`;
const names = (events: AgentEvent[]) => events.map(({ event }) => event);

/** How many places it is cut at: `CHAOS_CUTS=all` for every byte of it. */
const cuts = process.env["CHAOS_CUTS"] ?? "40";
/** More at once are more than a small machine likes. */
const atOnce = 140;

test(`an active file is whole again after it was cut, at ${cuts} places from its first byte to its last`, {
  timeout: 900_000,
}, async () => {
  await using system = await CortexSystem.start({
    settings: {
      max_concurrent: atOnce,
      orphan_grace_seconds: 600,
      default_backend: "patient",
      backends: { patient: { command: ["sh", "-c", patient] } },
    },
  });
  const length = await lengthOf(system);
  const count = cuts === "all" ? length + 1 : Number(cuts);
  const places = Array.from({ length: count }, (_, index) => Math.round((index * length) / (count - 1)));
  places.push(...neverALine.map(() => length));
  while (places.length > 0) await cutAndRecover(system, places.splice(0, atOnce));
});

/** How long such a file is: each has the same, since ids, times and hashes have. */
async function lengthOf(system: CortexSystem): Promise<number> {
  const id = system.request({ prompt: "x" });
  await system.until(() => names(system.of(id)).length === 4, "both lines were heard");
  const { length } = readFileSync(activeFile(system.journal, id));
  system.input(id, "go");
  await system.settled(id);
  return length;
}

const neverALine = ['{"event":"te', "\u0000\u0000\u0000", '{"event":"text"}'];

async function cutAndRecover(system: CortexSystem, places: number[]): Promise<void> {
  const ids = places.map(() => system.request({ prompt: "x" }));
  for (const id of ids) await system.until(() => names(system.of(id)).length === 4, "both lines were heard", 120_000);
  await system.killCortex();
  for (const [index, id] of ids.entries()) {
    const file = activeFile(system.journal, id);
    const place = places[index] ?? 0;
    const { length } = readFileSync(file);
    truncateSync(file, Math.min(place, length));
    // And with something behind it that never became a line.
    if (place >= length) appendFileSync(file, neverALine[index % neverALine.length] ?? "");
  }
  await system.startCortex();
  for (const id of ids) await system.until(() => names(system.of(id)).includes("adopted"), "it is adopted", 120_000);
  for (const id of ids) system.input(id, "go");
  for (const id of ids) {
    const file = await system.settled(id, 120_000);
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
}
