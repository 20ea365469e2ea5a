/** The filters of `cortex runs list` find what those of the API find, on a real cortex that the web program's index is kept of. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunList } from "../../../../web/machine/records/run-records.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { patienceMs } from "../../../support/patience.ts";
import { type MachineSystem, startMachine } from "../../../web/machine/machine-system.ts";
import { runCortexJson } from "../../run-command.ts";

let machine: MachineSystem;
beforeAll(async () => {
  machine = await startMachine({ settings: { ...fixtureAgents("scripted", "forever"), max_concurrent: 2 } });
}, patienceMs);
afterAll(() => machine[Symbol.asyncDispose]());

type Listed = { agent_id: string; state: string };

test("the command and the API list the same runs, those that work and wait among them", {
  timeout: 2 * patienceMs,
}, async () => {
  const { owner } = machine.api;
  const idsOf = async (query: string) => (await owner.get<RunList>(`/runs?${query}`)).items.map(({ id }) => id);
  const asked = async (prompt: string, backend: string) =>
    (await owner.post<{ id: string }>("/runs", { prompt, backend })).id;
  const done = await asked("the beans in spring", "scripted");
  await machine.system.until(async () => (await idsOf("state=finished")).includes(done), "the first run is done");
  const working = [await asked("peas", "forever"), await asked("more beans", "forever")];
  await machine.system.until(async () => (await idsOf("state=running")).length === 2, "both places are taken");
  const waiting = await asked("beans at last", "forever");
  await machine.system.until(async () => (await idsOf("state=queued")).includes(waiting), "one run waits");
  const listed = async (...filters: string[]) => {
    const { document } = await runCortexJson(machine.system.journal, ["runs", "list", ...filters], {
      CORTEX_TZ: "UTC",
    });
    return document["runs"] as Listed[];
  };
  for (const [query, filters, ids] of [
    ["text=beans", ["--text", "beans"], [waiting, working[1], done]],
    ["state=running", ["--state", "running"], working.toReversed()],
    ["state=queued,finished", ["--state", "queued,finished"], [waiting, done]],
    ["backend=forever&text=bea", ["--backend", "forever", "--text", "bea"], [waiting, working[1]]],
    ["persona=nobody", ["--persona", "nobody"], []],
  ] as const) {
    expect([query, await idsOf(query)]).toEqual([query, ids]);
    expect([filters, (await listed(...filters)).map((run) => run.agent_id)]).toEqual([filters, ids]);
  }
  expect((await listed("--text", "beans")).map((run) => run.state)).toEqual(["queued", "running", "finished"]);
  for (const id of [waiting, ...working]) await owner.post(`/runs/${id}/cancel`);
  await machine.system.until(async () => (await idsOf("state=cancelled")).length === 3, "all were stopped");
  expect((await listed("--state", "cancelled")).map((run) => run.state)).toEqual(["failed", "failed", "failed"]);
});
