/** Runs over HTTP: found, read, heard, asked for, told and ended. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunEvents, RunList, RunRow } from "../../../../web/machine/records/run-records.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { heard, type MachineSystem, startMachine } from "../machine-system.ts";
import type { z } from "zod";

let machine: MachineSystem;
beforeAll(async () => {
  machine = await startMachine({ settings: fixtureAgents("scripted", "forever") });
});
afterAll(() => machine[Symbol.asyncDispose]());

type Events = z.infer<typeof RunEvents>;
type Started = { id: string };

const get = <T>(path: string) => machine.api.owner.get<T>(path);
const post = <T>(path: string, body?: unknown) => machine.api.owner.post<T>(path, body);
const untilState = (id: string, ...states: RunRow["state"][]) =>
  machine.system.until(async () => states.includes((await get<RunRow>(`/runs/${id}`)).state), states.join());

test("a run that is asked for is listed, read line by line, continued and done again", async () => {
  const { id } = await post<Started>("/runs", { prompt: "the beans in spring" });
  await untilState(id, "finished");
  await machine.system.until(async () => (await get<Events>(`/runs/${id}/events`)).ended, "its file is closed");
  const run = await get<RunRow & { result: string; lines: number; file: string; request: object }>(`/runs/${id}`);
  expect(run).toMatchObject({ persona: "default", backend: "scripted", attempt: 1, prompt: "the beans in spring" });
  expect(run.request).toMatchObject({ prompt: "the beans in spring" });
  expect(run.file).toMatch(/^runs\/\d{8}\/\d{13}\.jsonl$/);
  const page = await get<Events>(`/runs/${id}/events?limit=2`);
  expect(page.items.map(({ seq }) => seq)).toEqual([1, 2]);
  const rest = await get<Events>(`/runs/${id}/events?after=${page.next}`);
  expect(rest).toMatchObject({ next: null, ended: true });
  expect(rest.items.at(-1)).toMatchObject({ event: "finish", seq: run.lines });
  const raw = await get<{ text: string }>(`/runs/${id}/raw?line=1`);
  expect(JSON.parse(raw.text)).toMatchObject({ event: "request", agent_id: id });
  const { id: next } = await post<Started>(`/runs/${id}/continue`, { prompt: "and the peas?" });
  const { id: again } = await post<Started>(`/runs/${id}/again`, {});
  await untilState(next, "finished");
  await untilState(again, "finished");
  const list = await get<RunList>("/runs?text=beans&state=finished,running");
  expect(list.items.map((row) => row.id)).toEqual([again, id]);
  expect(await get(`/runs/${id}`)).toMatchObject({
    family: [
      { relation: "continued_by", of: id, level: 1, run: { id: next } },
      { relation: "again_by", of: id, level: 1, run: { id: again } },
    ],
    family_is_whole: true,
  });
  expect(await get(`/runs/${again}`)).toMatchObject({ family: [{ relation: "again_of", level: -1, run: { id } }] });
  expect(await get(`/runs/${next}`)).toMatchObject({
    conversation: id,
    family: [{ relation: "continued_from", run: { id } }],
  });
  const first = await get<RunList>("/runs?limit=1");
  expect(first).toMatchObject({ items: [{ id: again }], next: again, total: 3 });
  expect((await get<RunList>(`/runs?limit=1&cursor=${first.next}`)).items[0]?.id).toBe(next);
});

test("a listener to a run hears each line once, also after a break, and then its end", async () => {
  const { id } = await post<Started>("/runs", { prompt: "hello", backend: "forever" });
  await untilState(id, "running");
  const seen: string[] = [];
  for await (const { id: line, event } of heard(machine.api, `/runs/${id}/live`)) {
    if (event === "line") seen.push(line ?? "");
    if (seen.length === 2) break;
  }
  expect(seen).toEqual(["1", "2"]);
  expect(await post(`/runs/${id}/input`, { text: "be quick" })).toEqual({ id });
  await machine.system.until(() => machine.system.file(id).some(({ event }) => event === "input"), "it was told");
  await post(`/runs/${id}/cancel`);
  const after: [string, string | null][] = [];
  for await (const { id: line, event } of heard(machine.api, `/runs/${id}/live`, "2")) after.push([event, line]);
  expect(after.at(-1)).toEqual(["end", null]);
  const lines = machine.system.file(id).map(({ seq }) => ["line", String(seq)]);
  expect(after.slice(0, -1)).toEqual(lines.slice(2));
  expect(await get(`/runs/${id}`)).toMatchObject({ state: "cancelled", reason: "cancelled", doing: null });
});

test("what isn't there, has ended, or can't be asked for is refused in words", async () => {
  const { owner } = machine.api;
  const statusOf = async (method: string, path: string, body?: unknown) =>
    (await owner.call(method, path, body)).status;
  expect(await statusOf("GET", "/runs/1700000000000")).toBe(404);
  expect(await statusOf("GET", "/runs/..%2f..%2fcortex")).toBe(404);
  expect(await statusOf("GET", "/runs/1700000000000/live")).toBe(404);
  expect(await statusOf("GET", "/runs?state=happy")).toBe(400);
  expect(await statusOf("POST", "/runs", { promt: "hello" })).toBe(400);
  expect(await statusOf("POST", "/runs", { prompt: " " })).toBe(400);
  const { id } = await post<Started>("/runs", { prompt: "hello" });
  await untilState(id, "finished");
  expect(await statusOf("POST", `/runs/${id}/cancel`)).toBe(409);
  expect(await statusOf("POST", `/runs/${id}/input`, { text: "more" })).toBe(409);
  expect(await statusOf("GET", `/runs/${id}/raw?line=4711`)).toBe(404);
});

test("names to filter by are those of all runs, in order, each once", async () => {
  const { id } = await post<Started>("/runs", { prompt: "hello", persona: "default", backend: "scripted" });
  await untilState(id, "finished");
  expect(await get("/runs/names")).toEqual({
    personas: ["default"],
    models: ["scripted"],
    backends: ["forever", "scripted"],
  });
});
