import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { answerCalls } from "../../../bus/agents/agent-calls.ts";
import { addressAs, readBusAccess } from "../../../journal/access/endpoints.ts";
import { issueToken } from "../../../journal/access/tokens.ts";
import { AgentsLink } from "../../../mcp-tools/tool/agents-link.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import { BusServer } from "../../bus/bus-server.ts";
import { callTool, connect, makeJournal, startTools } from "../tools-server.ts";

const call = { run_id: "1736380800000", call_id: "c1", tool: "reply", args: { text: "x" } };

test("a bus that has come back elsewhere is found there", async () => {
  const first = await BusServer.start();
  let journal = first.journal;
  await using link = new AgentsLink(() => {
    const access = readBusAccess(journal);
    return access && addressAs(access, "mcp-tools");
  });
  await answer(first, "first");
  const several = await Promise.all([link.ask(call), link.ask({ ...call, call_id: "c2" })]);
  expect(several).toEqual([
    { ok: true, result: { from: "first" } },
    { ok: true, result: { from: "first" } },
  ]);
  await first[Symbol.asyncDispose]();
  await using second = await BusServer.start();
  await answer(second, "second");
  journal = second.journal;
  expect(await link.ask(call)).toEqual({ ok: true, result: { from: "second" } });
});

test("a service that goes elsewhere while it is asked is asked again there", async () => {
  await using second = await BusServer.start();
  await answer(second, "second");
  const access = readBusAccess(second.journal);
  let asked = 0;
  // Where it is, is read before each attempt, and after one that failed.
  await using link = new AgentsLink(() => {
    if (asked++ === 0) return { url: "nats://127.0.0.1:9" };
    return access && addressAs(access, "mcp-tools");
  });
  expect(await link.ask(call)).toEqual({ ok: true, result: { from: "second" } });
});

test("nobody who answers is said to the model, with what to do", async () => {
  await using bus = await BusServer.start();
  const access = readBusAccess(bus.journal);
  await using link = new AgentsLink(() => access && addressAs(access, "mcp-tools"), 0);
  expect(await link.ask(call)).toEqual({
    ok: false,
    error: "the agents' service doesn't answer: see cortex status",
  });
});

test("a service that is away for a while is waited for, and the call is made again", async () => {
  await using bus = await BusServer.start();
  const access = readBusAccess(bus.journal);
  await using link = new AgentsLink(() => access && addressAs(access, "mcp-tools"));
  // Hears the first call and dies with it.
  const dying = await bus.as("agents");
  const { promise: isHeard, resolve: hear } = Promise.withResolvers<void>();
  dying.connection.subscribe(subjects.agentTool, { callback: () => hear(), max: 1 });
  await dying.connection.flush();
  const asked = link.ask(call);
  await isHeard;
  await dying[Symbol.asyncDispose]();
  await answer(bus, "the next one");
  expect(await asked).toEqual({ ok: true, result: { from: "the next one" } });
});

test("the tools that need a bus say so without one, and the others work", async () => {
  using folder = makeJournal();
  await using server = await startTools(folder.journal);
  const token = await issueToken(folder.journal, call.run_id, ["reply", "memory_list"]);
  await using client = await connect(server.url, token);
  expect(await callTool(client, "reply", { text: "x", channelId: "main" })).toEqual({
    text: "reply: there is no bus: start everything with cortex up",
    isError: true,
  });
  expect(await callTool(client, "memory_list", {})).toEqual({ text: "the memory is empty", isError: false });
});

test("a bus that isn't there is said to the model, with its address", async () => {
  await using link = new AgentsLink(() => ({ url: "nats://127.0.0.1:9" }), 0);
  expect(await link.ask(call)).toEqual({
    ok: false,
    error: expect.stringContaining("127.0.0.1:9: nobody listens there"),
  });
});

test("the bus of NATS_URL is used where there is one", async () => {
  using folder = makeJournal();
  const listening = createServer((socket) => void socket.destroy()).listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo;
  await using server = await startTools(folder.journal, { NATS_URL: `nats://127.0.0.1:${port}` });
  const client = await connect(server.url, await issueToken(folder.journal, call.run_id, ["reply"]));
  const asked = once(listening, "connection");
  const answer = callTool(client, "reply", { text: "x", channelId: "main" }).catch(() => {});
  expect(await asked).toHaveLength(1);
  await client.close();
  await answer;
  listening.close();
});

async function answer(bus: BusServer, from: string): Promise<void> {
  const agents = await bus.as("agents");
  answerCalls(agents, {
    tool: async () => ({ ok: true, result: { from } }),
    command: async () => ({ ok: false, error: "no" }),
    onProblem: (error) => {
      throw error;
    },
  });
  await agents.connection.flush();
}
