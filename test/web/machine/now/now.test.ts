/** The content of the first view, and what takes a run from one part of it to another. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Now } from "../../../../web/machine/records/machine-records.ts";
import type { RunRow } from "../../../../web/machine/records/run-records.ts";
import { endedFile } from "../../../../journal/runs/run-files.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { type MachineSystem, startMachine } from "../machine-system.ts";

let machine: MachineSystem;
beforeAll(async () => {
  const settings = { ...fixtureAgents("scripted", "forever", "exit-3-with-stderr"), max_concurrent: 1 };
  machine = await startMachine({ settings });
});
afterAll(() => machine[Symbol.asyncDispose]());

const get = <T>(path: string) => machine.api.owner.get<T>(path);
const post = <T>(path: string, body?: unknown) => machine.api.owner.post<T>(path, body);
const now = () => get<Now>("/now");
const ask = async (body: object) => (await post<{ id: string }>("/runs", body)).id;
const ended = async (id: string) => {
  await machine.system.until(() => existsSync(endedFile(machine.system.journal, id)), `the file of ${id} is closed`);
};
const idsOf = (rows: { id?: string }[]) => rows.map(({ id }) => id);

test("a run waits, works, and is done; one that is stopped is done as well, and sums are of all", async () => {
  const first = await ask({ prompt: "hello", backend: "forever" });
  await machine.system.until(async () => (await get<RunRow>(`/runs/${first}`)).state === "running", "it runs");
  const second = await ask({ prompt: "the beans" });
  const at = await now();
  expect(idsOf(at.working)).toEqual([second, first]);
  expect(at.working.map(({ state }) => state)).toEqual(["queued", "running"]);
  expect(at.totals).toEqual({ working: 2, failed: 0, done_today: 0 });
  await post(`/runs/${first}/cancel`);
  await ended(first);
  await ended(second);
  const after = await now();
  expect(idsOf(after.done_today as RunRow[])).toEqual([second, first]);
  expect(after).toMatchObject({
    needs_you: [],
    working: [],
    failed: [],
    totals: { working: 0, failed: 0, done_today: 2 },
    today: { runs: 2 },
  });
  expect(after.position).toMatch(/^[0-9a-f]{12}-\d+$/);
});

test("a failed run goes when it was run again well, or is put away; what it was put away with is dropped with the run", async () => {
  const mended = await ask({ prompt: "mend me", backend: "exit-3-with-stderr" });
  const hopeless = await ask({ prompt: "hopeless", backend: "exit-3-with-stderr" });
  await ended(mended);
  await ended(hopeless);
  expect(idsOf((await now()).failed)).toEqual([hopeless, mended]);
  const { id: inVain } = await post<{ id: string }>(`/runs/${mended}/again`, {});
  await ended(inVain);
  expect(idsOf((await now()).failed)).toEqual([inVain, hopeless, mended]);
  const { id: again } = await post<{ id: string }>(`/runs/${inVain}/again`, { backend: "scripted" });
  await ended(again);
  expect(await get(`/runs/${again}`)).toMatchObject({ again_of: inVain, state: "finished" });
  expect(idsOf((await now()).failed)).toEqual([hopeless]);
  const { owner } = machine.api;
  expect((await owner.call("POST", "/now/dismissed", { run: hopeless })).status).toBe(204);
  expect((await now()).failed).toEqual([]);
  for (const run of [again, "1700000000000"])
    expect((await owner.call("POST", "/now/dismissed", { run })).status).toBe(404);
  expect((await owner.call("POST", "/now/dismissed", { run: "../x" })).status).toBe(400);
  const kept = () => readFileSync(join(machine.system.journal, ".state/put-away.json"), "utf8");
  expect(JSON.parse(kept())).toEqual({ runs: [hopeless] });
  rmSync(endedFile(machine.system.journal, hopeless));
  expect((await owner.call("POST", "/now/dismissed", { run: inVain })).status).toBe(204);
  expect(JSON.parse(kept())).toEqual({ runs: [inVain] });
});

test("what a schedule asks for is told with its name, and is one row with all its runs", async () => {
  const asked = ["07:00", "08:00"].map((time) =>
    machine.system.request({ prompt: `It is ${time}.`, backend: "scripted", schedule: "default" }),
  );
  for (const id of asked) await ended(id);
  expect(await get(`/runs/${asked[0]}`)).toMatchObject({ schedule: "default" });
  const { done_today, totals } = await now();
  const folded = done_today.find((one) => "runs" in one);
  expect(folded).toMatchObject({ schedule: "default", total: 2, failed: 0 });
  expect(new Set(idsOf(folded && "runs" in folded ? folded.runs : []))).toEqual(new Set(asked));
  expect(idsOf(done_today as RunRow[])).not.toContain(asked[0]);
  expect(totals.done_today).toBeGreaterThanOrEqual(4);
});
