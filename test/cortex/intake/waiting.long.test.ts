/** Requests that wait: in order of priority, then of arrival, without a file and without a clock. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { readLiveStatus } from "../../../journal/programs/live-status.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const { default_backend, backends } = fixtureAgents("scripted");
const quick = { command: ["sh", "-c", `read -r config; echo '{"event":"finish","result":"quick"}'`] };
const settings = { default_backend, backends: { ...backends, quick } };
const system = await CortexSystem.start({ settings: { ...settings, max_concurrent: 1 } });
afterAll(() => system[Symbol.asyncDispose]());

let go = "";
let blocker = "";
let blockers = 0;
/** Takes the only place until `go` is there. */
beforeEach(async () => {
  go = join(system.journal, `go-${++blockers}`);
  blocker = system.steps([
    { ev: { event: "text", text: "busy" } },
    { await: go },
    { ev: { event: "finish", result: "" } },
  ]);
  await system.heard(blocker, "text");
});
const free = () => writeFileSync(go, "");
const wait = async (fields: Record<string, unknown>): Promise<string> => {
  const id = system.nextId();
  await system.answerTo({ ts: Number(id), prompt: "wait", ...fields });
  return id;
};

test("waiting requests start by priority, lower first, then as they came", async () => {
  const ids: string[] = [];
  for (const priority of [50, undefined, 90, 10, 50, 10, -5]) ids.push(await wait({ priority }));
  free();
  for (const id of ids) await system.settled(id);
  const started = system.events.filter(({ event, prompt }) => event === "request" && prompt === "wait");
  const expected = [6, 3, 5, 0, 1, 4, 2].map((index) => ids[index]);
  expect(started.map(({ agent_id }) => agent_id)).toEqual(expected);
});

test("a waiting request has no file and no clock, and is in the status", async () => {
  const limits = { timeout_seconds: 5, idle_timeout_seconds: 5 };
  const asked = Date.now();
  const id = await wait({ persona: "reviewer", backend: "quick", ...limits, prompt: "my turn?" });
  const status = () => readLiveStatus(system.journal);
  await system.until(() => status()?.queued === 1, "the status file knows of it");
  expect(status()?.waiting).toMatchObject([
    { agent_id: id, persona: "reviewer", backend: "quick", prompt: "my turn?" },
  ]);
  expect(status()?.running).toMatchObject([{ agent_id: blocker, state: "running", attempt: 1 }]);
  const waited = await system.until(() => system.statuses.find(({ queued }) => queued === 1), "a status with one");
  expect(waited.capacity).toBe(1);
  await system.until(() => Date.now() - asked > 5500, "its timeouts would be over");
  expect(system.file(id)).toEqual([]);
  free();
  // Longer than its timeouts have gone by.
  expect((await system.settled(id)).at(-1)).toMatchObject({ event: "finish" });
});

test("a waiting request can be cancelled: a request line, an error, a closed file, and its place stays free", async () => {
  const [id, next] = [await wait({}), await wait({})];
  system.cancel(id);
  const file = await system.settled(id);
  expect(file.map(({ event, reason }) => reason ?? event)).toEqual(["request", "cancelled"]);
  expect(system.of(id)).toEqual(file);
  free();
  expect((await system.settled(next)).at(-1)).toMatchObject({ event: "finish" });
  // The same request again is an ended one.
  expect(await system.answerTo({ ts: Number(id), prompt: "wait" })).toMatchObject({ accepted: true });
  expect(system.file(id)).toEqual(file);
});

test("the same request again while it waits starts once, another with its id is refused", async () => {
  const id = await wait({ prompt: "once" });
  expect(await system.answerTo({ ts: Number(id), prompt: "once" })).toEqual({ accepted: true, agent_id: id });
  expect(await system.answerTo({ ts: Number(id), prompt: "twice" })).toMatchObject({ reason: "duplicate_id" });
  free();
  await system.settled(id);
  expect(system.of(id).map(({ event }) => event)).toEqual(["request", "start", "finish"]);
});

test("never more run than max_concurrent, which may change while cortex runs", async () => {
  const ids = [await wait({}), await wait({}), await wait({})];
  const changed = { ...settings, max_concurrent: 2, stop_grace_seconds: 1 };
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify(changed));
  await system.until(() => system.log.includes("was read again"), "the settings are read");
  const more = await wait({});
  // There is room for two now, and one of them is still busy.
  await system.settled(ids[0] as string);
  expect(system.file(blocker).at(-1)).toMatchObject({ event: "text" });
  free();
  for (const id of [...ids, more]) await system.settled(id);
});
