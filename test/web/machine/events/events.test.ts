/** The events of the machine, heard over HTTP: in order, over breaks, and told anew where that can't be. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openBus } from "../../../../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../../../../journal/access/endpoints.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Now } from "../../../../web/machine/records/machine-records.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { patienceMs } from "../../../support/patience.ts";
import { ownerToken } from "../../api/api-system.ts";
import { heard, type MachineSystem, startMachine } from "../machine-system.ts";

let machine: MachineSystem;
beforeAll(async () => {
  machine = await startMachine({ settings: fixtureAgents("scripted", "forever") });
});
afterAll(() => machine[Symbol.asyncDispose]());

const post = <T>(path: string, body?: unknown) => machine.api.owner.post<T>(path, body);
const now = () => machine.api.owner.get<Now>("/now");
type Heard = Awaited<ReturnType<ReturnType<typeof heard>["next"]>>["value"];

/** Hears events until one is what is waited for. */
async function until(isIt: (one: Heard) => boolean, lastEventId?: string): Promise<Heard[]> {
  const all: Heard[] = [];
  for await (const one of heard(machine.api, "/events", lastEventId)) {
    all.push(one);
    if (isIt(one)) return all;
  }
  throw new Error("the events ended");
}

test("a run is heard from its beginning to its end, once behind a position and once more behind the same", async () => {
  const { position } = await now();
  const { id } = await post<{ id: string }>("/runs", { prompt: "hello" });
  const isEnd = (one: Heard) => one.event === "run.changed" && one.data["id"] === id && one.data["ended_at"] !== null;
  const first = await until(isEnd, position);
  expect(first.map(({ event }) => event)).not.toContain("reset");
  expect(first[0]).toMatchObject({ event: "run.changed", data: { id, state: "queued" } });
  const again = await until(isEnd, position);
  expect(again).toEqual(first);
  const rest = await until(isEnd, first[0].id ?? "");
  expect(rest).toEqual(first.slice(1));
  const numbers = first.map((one) => Number(one.id?.split("-")[1]));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

test("the answer's head says where it begins, and an id of elsewhere is told to be unknown", async () => {
  const { position } = await now();
  const stop = new AbortController();
  const headers = { Authorization: `Bearer ${ownerToken}` };
  const response = await fetch(`${machine.api.url}/api/v1/events`, { headers, signal: stop.signal });
  expect(response.headers.get("Last-Event-ID")?.split("-")[0]).toBe(position.split("-")[0]);
  stop.abort();
  for (const foreign of ["0123456789ab-3", "17", `${position}0`, "x".repeat(4000)]) {
    const [first] = await until(({ event }) => event === "reset", foreign);
    expect(first.id?.split("-")[0]).toBe(position.split("-")[0]);
  }
});

test("the events are heard by the owner only", async () => {
  const { id } = await machine.api.workspace();
  const member = await machine.api.invite(id, "Bea");
  expect((await member.call("GET", "/events")).status).toBe(403);
  expect((await member.call("GET", "/now")).status).toBe(403);
});

test("what becomes of settings, personas, agents and replies is heard, and what nobody could have said isn't", async () => {
  const { journal } = machine.system;
  const access = readBusAccess(journal);
  if (!access) throw new Error("there is no bus");
  await using bus = await openBus(addressAs(access, "agents"), "agents", patienceMs);
  const { position } = await now();
  mkdirSync(join(journal, "personas"), { recursive: true });
  writeFileSync(join(journal, "personas/gardener.txt"), "You look after the beans.");
  await until(({ event }) => event === "schedule.changed", position);
  const agent_id = "tz4a98xxat96iws9zmbrgj3a";
  const publish = (subject: string, value: unknown) => bus.connection.publish(subject, JSON.stringify(value));
  publish(`agent.event.${agent_id}.made_up`, { event: "made_up", agent_id });
  publish(`agent.event.${agent_id}.created`, { event: "created", ts: 1, agent_id });
  publish("channel.out.web", { id: "r1", text: "x".repeat(100_000), channel: { type: "web", channelId: "main" } });
  const all = await until(({ event }) => event === "reply", position);
  expect(all.filter(({ event }) => event === "agent.changed").map(({ data }) => data)).toEqual([
    { event: "created", ts: 1, agent_id },
  ]);
  expect(String(all.at(-1)?.data["text"]).length).toBeLessThan(70_000);
});

test("a run's file that nobody has announced is heard of", async () => {
  const { journal } = machine.system;
  const { position } = await now();
  const id = machine.system.nextId();
  const day = new Date(Number(id)).toISOString().slice(0, 10).replaceAll("-", "");
  mkdirSync(join(journal, "runs", day), { recursive: true });
  const file = join(journal, "runs", day, `${id}.jsonl`);
  const line = (seq: number, event: object) => `${JSON.stringify({ ts: Number(id), agent_id: id, seq, ...event })}\n`;
  writeFileSync(file, line(1, { event: "request", prompt: "from elsewhere" }));
  appendFileSync(file, line(2, { event: "finish", result: "done" }));
  const isIt = (one: Heard) => one.event === "run.changed" && one.data["id"] === id;
  expect((await until(isIt, position)).at(-1)?.data).toMatchObject({ prompt: "from elsewhere", state: "finished" });
});
