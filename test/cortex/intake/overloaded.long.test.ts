/** Where the disk is nearly full nothing new is taken, and what was accepted waits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openBus } from "../../../bus/connection/connect.ts";
import { everyStoredRequest } from "../../../bus/runs/requests.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { readLiveStatus } from "../../../journal/programs/live-status.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { patienceMs } from "../../support/patience.ts";

const finish = { ev: { event: "finish", result: "done" } };

const settings = { ...fixtureAgents("scripted"), max_concurrent: 1, stop_grace_seconds: 1 };
const floor = { min_free_bytes: Number.MAX_SAFE_INTEGER };

/** Changes the settings, and waits until cortex has read them. */
async function give(system: CortexSystem, changed: Settings): Promise<void> {
  const reads = () => system.log.split("was read again").length;
  const before = reads();
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...settings, ...changed }));
  await system.until(() => reads() > before, "the settings are read");
}

/** A run that is at work until its file is there, and then hands on. */
async function atWork(system: CortexSystem): Promise<{ id: string; go: string }> {
  const go = join(system.journal, "go");
  const handoff = { prompt: JSON.stringify([finish]) };
  const id = system.steps([{ ev: { event: "text", text: "busy" } }, { await: go }, finish], { handoff });
  await system.heard(id, "text");
  return { id, go };
}

test("below the floor of free space what is new is refused, what runs ends, and what waits, or is handed on, runs when there is room", async () => {
  await using system = await CortexSystem.start({ settings });
  const { id: running, go } = await atWork(system);
  const waiting = system.steps([finish]);
  await system.until(() => readLiveStatus(system.journal)?.queued === 1, "it waits");

  await give(system, floor);
  expect(await system.answerTo({ prompt: "one more" })).toMatchObject({
    reason: "overloaded",
    error: expect.stringContaining("min_free_bytes"),
  });
  // Whoever goes through the stream after a loss doesn't find it.
  const access = readBusAccess(system.journal);
  if (!access) throw new Error("no bus");
  await using bus = await openBus(addressAs(access, "cortex"), "cortex", patienceMs);
  const stored = async () => {
    const prompts: string[] = [];
    for await (const { data } of everyStoredRequest(bus))
      prompts.push(JSON.parse(new TextDecoder().decode(data)).prompt);
    return prompts;
  };
  // It is said to be refused before it is erased.
  await system.until(async () => (await stored()).length === 2, "what was refused is erased");
  expect(await stored()).not.toContain("one more");

  writeFileSync(go, "");
  const child = String((await system.settled(running)).at(-1)?.["to"]);
  const ids = () => readLiveStatus(system.journal)?.waiting.map(({ agent_id }) => agent_id);
  await system.until(() => ids()?.length === 2, "its child waits, too");
  await system.until(() => readLiveStatus(system.journal)?.running.length === 0, "nothing runs");
  expect(ids()).toEqual([waiting, child]);

  await give(system, {});
  for (const id of [waiting, child]) expect((await system.settled(id)).at(-1)).toMatchObject({ event: "finish" });
  // By what they say, so that a second one tells what it is.
  expect(system.rejected.map(({ error }) => error)).toEqual([expect.stringContaining("min_free_bytes")]);
});

test("a handoff while the bus was away isn't a new request", async () => {
  await using system = await CortexSystem.start({ settings });
  const { id, go } = await atWork(system);
  await system.stopBus();
  await give(system, floor);
  writeFileSync(go, "");
  await system.until(() => system.file(id).at(-1)?.event === "handoff", "it has handed on");
  await system.startBus();
  const child = String((await system.closed(id)).at(-1)?.["to"]);
  const isThere = () => readLiveStatus(system.journal)?.waiting.some(({ agent_id }) => agent_id === child);
  await system.until(() => isThere() || system.rejected.length > 0, "it is taken, or refused");
  expect(system.rejected).toEqual([]);
  await give(system, {});
  expect((await system.closed(child)).at(-1)).toMatchObject({ event: "finish" });
});
