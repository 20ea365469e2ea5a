/** The messages between people and agents over a real bus, and who may say and hear what. */
import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { answerCalls, callCommand, callTool, NoAgentsError } from "../../../bus/agents/agent-calls.ts";
import { ensureChannelStreams, publishOutbound, storedOutbound } from "../../../bus/agents/channels.ts";
import {
  type Inbound,
  inboundStream,
  publishDecision,
  publishInbound,
  publishReceipt,
  sharedInboundStream,
  storedInbound,
} from "../../../bus/agents/inbound.ts";
import { builtInChannels } from "../../../protocol/agents/agents-settings.ts";
import { BusServer } from "../bus-server.ts";
import { patienceMs } from "../../support/patience.ts";

const message = (id: string, type = "cli") => ({ id, text: `text of ${id}`, channel: { type, channelId: "main" } });

async function openServer(): Promise<BusServer> {
  const server = await BusServer.start();
  await ensureChannelStreams(await server.as("agents"), builtInChannels);
  return server;
}

/** The next so many of a stream, each acknowledged. */
async function take(server: BusServer, count: number, stream = inboundStream("cli")): Promise<Inbound[]> {
  const stop = new AbortController();
  const taken: Inbound[] = [];
  for await (const { inbound, ack } of storedInbound(await server.as("agents"), stream, stop.signal)) {
    taken.push(inbound);
    await ack();
    if (taken.length === count) break;
  }
  stop.abort();
  return taken;
}

test("messages of adapters are stored before anybody listens, in order, and the same id once", async () => {
  await using server = await openServer();
  const cli = await server.as("channel-cli");
  await publishInbound(cli, message("a"));
  await publishInbound(cli, message("a"));
  await publishReceipt(cli, "r1", { ok: true });
  await publishDecision(cli, "token1", { decision: "allow" });
  await publishInbound(await server.as("channel-web"), message("a", "web"));
  expect(await take(server, 1)).toEqual([{ kind: "message", message: message("a") }]);
  expect(await take(server, 1, inboundStream("web"))).toEqual([{ kind: "message", message: message("a", "web") }]);
  expect(await take(server, 2, sharedInboundStream)).toEqual([
    { kind: "receipt", id: "r1", receipt: { ok: true } },
    { kind: "decision", token: "token1", decision: { decision: "allow" } },
  ]);
  await publishInbound(cli, message("b"));
  expect(await take(server, 1)).toEqual([{ kind: "message", message: message("b") }]);
});

test("an unacknowledged message comes again, also to another process and after the server was killed", async () => {
  await using server = await openServer();
  const cli = await server.as("channel-cli");
  await publishInbound(cli, message("a"));
  const first = storedInbound(await server.as("agents"), inboundStream("cli"), new AbortController().signal);
  expect((await first.next()).value?.inbound).toEqual({ kind: "message", message: message("a") });
  await first.return(undefined);
  await server.killAndRestart(cli);
  expect(await take(server, 1)).toEqual([{ kind: "message", message: message("a") }]);
});

test("a message that is none, or names a channel that isn't its sender's, is told as invalid", async () => {
  await using server = await openServer();
  const cli = await server.as("channel-cli");
  await cli.js.publish("channel.in.cli", "{");
  await cli.js.publish("channel.in.cli", JSON.stringify(message("b", "telegram")));
  const [broken, foreign] = await take(server, 2);
  expect(broken).toMatchObject({ kind: "invalid", subject: "channel.in.cli" });
  expect(foreign).toMatchObject({ kind: "invalid", error: "channel.type: expected cli, as on the subject" });
});

test("an adapter reads what goes out to its channel from any place on, and goes on over the server's death", async () => {
  await using server = await openServer();
  const agents = await server.as("agents");
  for (const id of ["a", "b", "c"]) await publishOutbound(agents, message(id, "web"));
  await publishOutbound(agents, message("b", "web"));
  await publishOutbound(agents, message("d", "cli"));
  const web = await server.as("channel-web");
  const stop = new AbortController();
  const out = storedOutbound(web, "web", 2, stop.signal);
  const next = async () => (await out.next()).value?.message.id;
  expect([await next(), await next()]).toEqual(["b", "c"]);
  const later = next();
  await server.killAndRestart(web);
  await publishOutbound(agents, message("e", "web"));
  expect(await later).toBe("e");
  stop.abort();
  expect((await out.next()).done).toBe(true);
});

test("an adapter may not speak for another, nor hear what isn't for it, nor start a run", async () => {
  await using server = await openServer();
  const cli = await server.as("channel-cli");
  const heard: string[] = [];
  for (const subject of ["channel.out.web", "channel.in.>", "cortex.event.>", "agents.>"])
    cli.connection.subscribe(subject, { callback: (error, { subject }) => void (error ?? heard.push(subject)) });
  const agents = await server.as("agents");
  for (const subject of ["channel.in.web", "channel.out.cli", "cortex.request", "agents.command", "agents.tool"])
    cli.connection.publish(subject, "{}");
  await cli.connection.flush();
  await publishOutbound(agents, message("x", "web"));
  const { direct } = await cli.manager();
  await expect(direct.getMessage("CORTEX_OUT_web", { seq: 1 })).rejects.toThrow();
  const manager = await agents.manager();
  for (const stream of [inboundStream("web"), inboundStream("cli"), sharedInboundStream])
    expect((await manager.streams.info(stream)).state.messages).toBe(0);
  expect((await manager.streams.info("CORTEX_REQ")).state.messages).toBe(0);
  expect((await manager.streams.info("CORTEX_OUT_cli")).state.messages).toBe(0);
  expect(heard).toEqual([]);
});

test("tools and commands ask the agents' service, each what it may", async () => {
  await using server = await openServer();
  const call = { run_id: "1736380800000", call_id: "c1", tool: "reply", args: { text: "x" } };
  const tools = await server.as("mcp-tools");
  await expect(callTool(tools, call)).rejects.toThrow(NoAgentsError);
  const problems: unknown[] = [];
  answerCalls(await server.as("agents"), {
    tool: async ({ tool, call_id }) => ({ ok: true, result: { tool, call_id } }),
    command: async ({ command }) => {
      if (command === "throw") throw new Error("a defect");
      return { ok: false, error: `${command}: no` };
    },
    onProblem: (error) => problems.push(error),
  });
  await delay(0);
  const owner = await server.as("owner");
  await vi.waitFor(async () => expect(await callTool(tools, call)).toMatchObject({ ok: true }), patienceMs);
  expect(await callTool(tools, call)).toEqual({ ok: true, result: { tool: "reply", call_id: "c1" } });
  expect(await callCommand(owner, { command: "x", args: {} })).toEqual({ ok: false, error: "x: no" });
  expect(await callCommand(owner, { command: "throw", args: {} })).toMatchObject({ ok: false });
  expect(problems).toHaveLength(1);
  await expect(callCommand(tools, { command: "x", args: {} })).rejects.toThrow();
  await expect(callTool(owner, call)).rejects.toThrow();
});
