import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { ask, NoCortexError, RejectedError, TooLargeError } from "../../../bus/runs/client.ts";
import { listRuns } from "../../../journal/runs/list-runs.ts";
import { RunReader } from "../../../journal/runs/read-run.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { openBus } from "../../../bus/connection/connect.ts";
import { requestStream } from "../../../bus/jetstream/streams.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { askOver } from "../../../scripts/command/connection.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { startTornProxy } from "../../support/network/torn-proxy.ts";
import { patienceMs } from "../../support/patience.ts";

const sh = (script: string) => ({ command: ["/bin/sh", "-c", script] });
const settings = {
  default_backend: "quick",
  backends: {
    quick: sh(`read -r config; echo '{"event":"start"}'; echo '{"event":"finish","result":"done"}'`),
    waiting: sh(`read -r config; echo '{"event":"start"}'; read -r go; echo '{"event":"finish","result":"late"}'`),
    failing: sh(
      `read -r config; echo '{"event":"start"}'; read -r go; echo '{"event":"error","error":"gone wrong"}'; exit 1`,
    ),
    large: sh(
      `read -r config; echo '{"event":"text","text":"first"}'
       printf '{"event":"finish","result":"'; head -c 3000000 /dev/zero | tr '\\0' x; echo '"}'`,
    ),
    streaming: sh(
      `read -r config; echo '{"event":"start"}'
       echo '{"event":"text_delta","text":"he"}'; echo '{"event":"text_delta","text":"llo"}'
       echo '{"event":"finish","result":"hello"}'`,
    ),
  },
};

const system = await CortexSystem.start({ settings });
afterAll(() => system[Symbol.asyncDispose]());
const fileOf = (agentId: string) => new RunReader(system.journal, agentId);

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const list: AgentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

test.concurrent("a run is followed from its first line to its terminal event, however quick it is", async () => {
  const asked = await Promise.all(Array.from({ length: 20 }, () => ask(system.bus, { prompt: "hello" })));
  for (const { agent_id, events, result } of asked) {
    expect(await all(events)).toEqual(await system.ended(agent_id));
    expect(await result).toMatchObject({ event: "finish", result: "done", agent_id });
  }
  expect(new Set(asked.map(({ agent_id }) => agent_id)).size).toBe(20);
});

test.concurrent("a given id that belongs to another request is an error; given again with the same request it is the same run", async () => {
  const ts = Number(system.nextId());
  const first = await ask(system.bus, { prompt: "hello", ts });
  await first.result;
  const again = await ask(system.bus, { prompt: "hello", ts }, { fileOf });
  expect(await again.result).toEqual(await first.result);
  await expect(ask(system.bus, { prompt: "something else", ts })).rejects.toThrow(RejectedError);
  await expect(ask(system.bus, { prompt: "something else", ts })).rejects.toMatchObject({ reason: "duplicate_id" });
  const file = await system.ended(String(ts));
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "finish"]);
  expect(file[0]).toMatchObject({ prompt: "hello" });
});

test.concurrent("a request that no cortex takes is stored, its caller hears so, and the next cortex runs it", async () => {
  await using system = await CortexSystem.start({ settings });
  await system.stopCortex();
  const error = await ask(system.bus, { prompt: "hello" }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(NoCortexError);
  await system.startCortex();
  const { agentId } = error as NoCortexError;
  expect((await system.ended(agentId)).at(-1)).toMatchObject({ event: "finish" });
});

test.concurrent("an event cut for the bus is whole for a reader of the file", async () => {
  const near = await ask(system.bus, { prompt: "hello", backend: "large" }, { fileOf });
  const far = await ask(system.bus, { prompt: "hello", backend: "large" });
  expect(await near.result).toMatchObject({ event: "finish", result: "x".repeat(3_000_000) });
  const cut = await far.result;
  expect(cut["truncated"]).toBe(true);
  expect(String(cut["result"])).toMatch(/^x{1000,}…$/);
  expect((await all(near.events)).map(({ event }) => event)).toEqual(["request", "start", "text", "finish"]);
});

test.concurrent("pieces of the answer come in their place when they are asked for", async () => {
  const asked = await ask(system.bus, { prompt: "hello", backend: "streaming", stream: true });
  const events = await all(asked.events);
  // Where they are cut is left to what may be the begin of a secret.
  const pieces = events.filter(({ event }) => event === "text_delta");
  expect(pieces.map(({ text }) => text).join("")).toBe("hello");
  expect(events.map(({ event }) => event)).toEqual(["request", "start", ...pieces.map(({ event }) => event), "finish"]);
  expect(system.file(asked.agent_id).map(({ event }) => event)).toEqual(["request", "start", "finish"]);
});

test.concurrent("a run whose bus was killed with -9 in the middle is followed to its end", async () => {
  await using system = await CortexSystem.start({
    settings: {
      default_backend: "slow",
      backends: {
        slow: sh(`read -r config; echo '{"event":"start"}'; read -r go; echo '{"event":"finish","result":"late"}'`),
      },
    },
  });
  const asked = await ask(system.bus, { prompt: "hello", backend: "slow" }, { fileOf });
  await system.heard(asked.agent_id, "start");
  const isBack = new Promise<void>((resolve) => system.bus.onReconnect(resolve));
  system.killBus();
  await isBack;
  // Said again until cortex, too, is back and hears it.
  await system.until(() => {
    system.input(asked.agent_id, "go");
    return system.file(asked.agent_id).some(({ event }) => event === "finish");
  }, "the input was heard");
  expect(await asked.result).toMatchObject({ result: "late" });
  const names = (await all(asked.events)).map(({ event }) => event);
  expect([names[0], names[1], names.at(-1)]).toEqual(["request", "start", "finish"]);
});

test.concurrent("an answer that was on its way when the connection broke is asked for again", async () => {
  await using system = await CortexSystem.start({ settings });
  const access = readBusAccess(system.journal) ?? expect.fail("no bus");
  await using proxy = await startTornProxy(Number(new URL(access.url).port));
  const address = { ...addressAs(access, "client"), url: `nats://127.0.0.1:${proxy.port}` };
  await using caller = await openBus(address, "client", patienceMs);
  await using reader = await openBus(addressAs(access, "cortex"), "cortex", patienceMs);
  const { streams } = await reader.manager();
  const stored = async () => (await streams.info(requestStream)).state.last_seq;
  const before = await stored();
  system.signal("SIGSTOP");
  const asking = ask(caller, { prompt: "hello" });
  await system.until(async () => (await stored()) > before, "the request is stored");
  await caller.connection.flush();
  proxy.cutAfter(0);
  system.signal("SIGCONT");
  const { agent_id } = await asking;
  expect(proxy.cuts).toBe(1);
  expect((await system.ended(agent_id)).map(({ event }) => event)).toEqual(["request", "start", "finish"]);
});

test.concurrent("a run that ends while a client without its journal is away is over for it once it is back", async () => {
  await using far = await farClient();
  const asked = await far.ask("waiting");
  far.proxy.bar();
  system.input(asked.agent_id, "go");
  await system.ended(asked.agent_id);
  far.proxy.admit();
  expect(await asked.result).toMatchObject({ event: "finish", result: "late" });
  expect((await all(asked.events)).map(({ event }) => event)).toEqual(["request", "start", "finish"]);
});

test.concurrent("a run that fails while such a client is away is over for it, also behind an error that was not the end", async () => {
  await using far = await farClient();
  const asked = await far.ask("failing");
  far.proxy.bar();
  const missing = { text: "look", attachments: [{ id: "0".repeat(64), mime: "image/png" }] };
  system.bus.connection.publish(subjects.input(asked.agent_id), JSON.stringify(missing));
  await system.heard(asked.agent_id, "error");
  system.input(asked.agent_id, "go");
  const file = await system.ended(asked.agent_id);
  expect(file.filter(({ event }) => event === "error").map(({ terminal }) => terminal)).toEqual([false, undefined]);
  far.proxy.admit();
  expect(await asked.result).toMatchObject({ event: "error", error: "gone wrong" });
});

/** A client on another machine: it has no journal, and its connection can be broken. */
async function farClient() {
  const access = readBusAccess(system.journal) ?? expect.fail("no bus");
  const proxy = await startTornProxy(Number(new URL(access.url).port));
  const natsUrl = `nats://127.0.0.1:${proxy.port}`;
  const caller = await openBus({ ...addressAs(access, "client"), url: natsUrl }, "client", patienceMs);
  const env = { ...readEnvironment({}), journalPath: join(system.journal, "elsewhere"), natsUrl };
  return {
    proxy,
    /** Resolves when the run has begun, and its client has heard that. */
    async ask(backend: string) {
      const asked = await askOver(caller, env, { prompt: "hello", backend });
      await system.heard(asked.agent_id, "start");
      await caller.connection.flush();
      return asked;
    },
    async [Symbol.asyncDispose]() {
      await caller[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

test("an id of the library's own making that is taken is never seen: the next one is", async () => {
  await using system = await CortexSystem.start({ settings: { ...settings, max_concurrent: 1 } });
  const now = Date.now();
  const taken = Array.from({ length: 20 }, (_, index) => String(now + index));
  for (const id of taken) system.request({ prompt: "taken" }, id);
  // However long that took, the library makes its id of a moment that somebody has.
  vi.useFakeTimers({ toFake: ["Date"], now });
  const asked = await ask(system.bus, { prompt: "hello", priority: 1 }).finally(() => void vi.useRealTimers());
  expect(await asked.result).toMatchObject({ result: "done" });
  expect(taken).not.toContain(asked.agent_id);
  expect(system.rejected.map(({ reason }) => reason)).toContain("duplicate_id");
  const others = (await listRuns(system.journal, 1000)).filter(({ agent_id }) => agent_id !== asked.agent_id);
  expect(others.length).toBeGreaterThan(0);
  expect(others.every(({ agent_id, prompt }) => prompt === "taken" && taken.includes(agent_id))).toBe(true);
  for (const id of taken) await system.closed(id);
});

test.concurrent("a request that the bus doesn't take is refused with its size and the limit, before anything is sent", async () => {
  const error = await ask(system.bus, { prompt: "x".repeat(1_100_000) }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TooLargeError);
  expect(error).toMatchObject({ reason: "invalid" });
  expect(String(error)).toMatch(/the request has 11\d{5} bytes as it is sent, and the bus takes at most 1047552/);
  // One that just fits runs: what comes beside it has room.
  const { agent_id, result } = await ask(system.bus, { prompt: "x".repeat(1_047_400) });
  expect(await result).toMatchObject({ event: "finish", agent_id });
});
