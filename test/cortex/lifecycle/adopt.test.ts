/** A run outlives cortex: one that is killed and comes back takes its runs up again. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readToken } from "../../../journal/access/tokens.ts";
import { stopReasonOf } from "../../../proc/runs/run.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import { AdoptedRuns, names } from "./adopted-runs.ts";

const runs = await AdoptedRuns.start();
const { system } = runs;
afterAll(() => runs[Symbol.asyncDispose]());

test("a stop that was begun is brought to its end, for the reason that was recorded", async () => {
  const id = system.request({ prompt: "x", backend: "forever" });
  await system.heard(id, "start");
  system.cancel(id);
  await system.until(() => stopReasonOf(runs.folderOf(id)) === "cancelled", "the reason is recorded");
  await system.killCortex();
  await system.startCortex();
  const file = await runs.whole(id);
  expect(names(file)).toEqual(["request", "start", "error"]);
  expect(file.at(-1)).toMatchObject({ reason: "cancelled" });
});

test("an adopted run hears what is said to it, can be cancelled, and keeps its token until its end", async () => {
  const listening = system.request({ prompt: "x", backend: "patient" });
  const cancelled = system.request({ prompt: "x", backend: "late-finish" });
  await system.heard(cancelled, "text");
  await system.until(() => names(system.of(listening)).length === 4, "it has said both");
  const config: RunConfig = JSON.parse(readFileSync(join(runs.folderOf(listening), "in/1"), "utf8"));
  const token = config.mcp_token ?? "";
  for (const times of [1, 2]) {
    await system.killCortex();
    expect(await readToken(system.journal, token)).toMatchObject({ agent_id: listening });
    await system.startCortex();
    const adopted = () => names(system.file(listening)).filter((name) => name === "adopted");
    await system.until(() => adopted().length === times, "it is adopted");
  }
  expect(await readToken(system.journal, token)).toMatchObject({ agent_id: listening });
  system.input(listening, "go on");
  system.cancel(cancelled);
  const file = await runs.whole(listening);
  expect(names(file)).toEqual(["request", "start", "text", "text", "adopted", "adopted", "input", "finish"]);
  expect((await runs.whole(cancelled)).slice(-2)).toMatchObject([{ text: "told to stop" }, { reason: "cancelled" }]);
  expect(await readToken(system.journal, token)).toBe(null);
});
