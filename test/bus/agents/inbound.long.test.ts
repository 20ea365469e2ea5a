/** Messages into agents over a real bus: streams with limits of their own, ids that stay known, and the gate for others' adapters. */
import { DiscardPolicy, RetentionPolicy, StorageType } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { openChannelGate } from "../../../bus/agents/channel-gate.ts";
import { ensureChannelStreams } from "../../../bus/agents/channels.ts";
import type { Bus } from "../../../bus/connection/connect.ts";
import { formerInbound, formerStream, retireFormerInbound } from "../../../bus/agents/former-inbound.ts";
import { inboundLimits, inboundStream, publishInbound, storedInbound } from "../../../bus/agents/inbound.ts";
import { ChannelFullError, MessageTooLargeError } from "../../../bus/agents/inbound-refusals.ts";
import { noteTaken } from "../../../bus/agents/taken-ids.ts";
import { builtInChannels } from "../../../protocol/agents/agents-settings.ts";
import { BusServer } from "../bus-server.ts";

const message = (id: string, type = "cli", text = `text of ${id}`) => ({
  id,
  text,
  channel: { type, channelId: "main" },
});

async function openServer(): Promise<{ server: BusServer; agents: Bus } & AsyncDisposable> {
  const server = await BusServer.start(undefined, { channels: { sms: { external: true }, mail: { external: true } } });
  const agents = await server.as("agents");
  await ensureChannelStreams(agents, [...new Set([...builtInChannels, "mail"])]);
  return { server, agents, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

/** Takes the next message of a channel out of its stream, as the agents' service does. */
async function takeOut(agents: Bus, type: string): Promise<string> {
  const stop = new AbortController();
  for await (const { inbound, streamSeq, ack } of storedInbound(agents, inboundStream(type), stop.signal)) {
    if (inbound.kind !== "message") throw new Error(`no message: ${JSON.stringify(inbound)}`);
    await noteTaken(agents, type, inbound.message.id, streamSeq);
    await ack();
    stop.abort();
    return inbound.message.id;
  }
  throw new Error("nothing more");
}

/** An answer of the gate that refuses. */
const error = (description: RegExp, code = 400) => ({
  error: expect.objectContaining({ code, description: expect.stringMatching(description) }),
});

/** Until the channel refuses. */
async function fill(bus: Bus, type: string, text: string): Promise<number> {
  for (let n = 0; ; n++)
    try {
      await publishInbound(bus, message(`fill-${n}`, type, text));
    } catch (error) {
      if (!(error instanceof ChannelFullError)) throw error;
      return n;
    }
}

test("a message taken out leaves the stream: a full channel has room again, and shuts no other", async () => {
  await using open = await openServer();
  const { server, agents } = open;
  const webhook = await server.as("channel-webhook");
  const text = "x".repeat(250_000);
  const count = await fill(webhook, "webhook", text);
  expect(count).toBe(Math.floor(inboundLimits.max_bytes / 250_000));
  expect(await publishInbound(await server.as("channel-cli"), message("a"))).toBe(true);
  await expect(publishInbound(webhook, message("b", "webhook", "x".repeat(250_000)))).rejects.toThrow(
    "the channel webhook is full",
  );
  expect(await takeOut(agents, "webhook")).toBe("fill-0");
  expect(await publishInbound(webhook, message("b", "webhook", text))).toBe(true);
  const { streams } = await agents.manager();
  expect((await streams.info(inboundStream("webhook"))).state.messages).toBe(count);
  await expect(publishInbound(webhook, message("c", "webhook", "\u0001".repeat(250_000)))).rejects.toThrow(
    MessageTooLargeError,
  );
  await expect(publishInbound(webhook, message("d", "webhook", "x".repeat(300_000)))).rejects.toThrow(
    new MessageTooLargeError("a message of 300000 characters is too long: 262144 is the most. Make it shorter"),
  );
});

test("an id that was taken out stays known, also when the server was killed", async () => {
  await using open = await openServer();
  const { server, agents } = open;
  const cli = await server.as("channel-cli");
  expect(await publishInbound(cli, message("a"))).toBe(true);
  expect(await takeOut(agents, "cli")).toBe("a");
  expect(await publishInbound(cli, message("a"))).toBe(false);
  await server.killAndRestart(cli);
  expect(await publishInbound(cli, message("a"))).toBe(false);
  expect(await publishInbound(cli, message("b"))).toBe(true);
});

test("an adapter of the user's own hears in the answer to its request where it was stored, or what is wrong", async () => {
  await using open = await openServer();
  const { server, agents } = open;
  const refused: string[] = [];
  openChannelGate(agents, (subject, { code }) => refused.push(`${code} ${subject}`));
  await agents.connection.flush();
  const sms = await server.as("channel-sms");
  const ask = async (subject: string, value: unknown) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return (await sms.connection.request(subject, text, { timeout: 10_000 })).json<Record<string, unknown>>();
  };
  expect(await ask("channel.in.sms", message("a", "sms"))).toEqual({ stream: inboundStream("sms"), seq: 1 });
  expect(await ask("channel.in.sms", message("a", "sms"))).toMatchObject({ seq: 1, duplicate: true });
  expect(await ask("channel.in.sms", "{")).toEqual(error(/^expected JSON$/));
  expect(await ask("channel.in.sms", { ...message("b", "sms"), text: 42 })).toEqual(
    error(/^text: expected string, got 42$/),
  );
  expect(await ask("channel.in.sms", message("b", "telegram"))).toEqual(error(/^channel.type: expected sms/));
  expect(await ask("channel.in.sms", { ...message("b", "sms"), id: "a b" })).toEqual(error(/^id: expected letters/));
  expect(await ask("channel.receipt.r1", { ok: "yes" })).toEqual(error(/^ok: expected/));
  expect(await ask("permission.decide.t1", { decision: "maybe" })).toEqual(error(/^decision: /));
  expect(await ask("channel.receipt.r1", { ok: true })).toEqual({ stream: "CORTEX_IN", seq: 1 });
  expect(refused.filter((line) => line.startsWith("400 channel.in.sms"))).toHaveLength(4);
  // A client's own way to publish understands the answers, too.
  await expect(sms.js.publish("channel.in.sms", "{")).rejects.toThrow("expected JSON");
  expect((await sms.js.publish("channel.in.sms", JSON.stringify(message("c", "sms")))).seq).toBe(2);
  await fill(agents, "sms", "x".repeat(250_000));
  expect(await ask("channel.in.sms", message("d", "sms", "x".repeat(250_000)))).toEqual(
    error(/the channel sms is full/, 429),
  );
  const mail = await server.as("channel-mail");
  expect((await mail.js.publish("channel.in.mail", JSON.stringify(message("d", "mail")))).seq).toBe(1);
  // Past the gate there is no way.
  sms.connection.publish("channel.gate.sms.channel.in.sms", JSON.stringify(message("e", "sms")));
  sms.connection.publish("channel.in.mail", JSON.stringify(message("e", "mail")));
  await sms.connection.flush();
  const { streams } = await agents.manager();
  expect((await streams.info(inboundStream("mail"))).state.messages).toBe(1);
});

test("more at once than may be on its way is refused, not kept in memory", async () => {
  await using open = await openServer();
  const { server, agents } = open;
  openChannelGate(agents, () => {});
  await agents.connection.flush();
  const sms = await server.as("channel-sms");
  const asked = Array.from({ length: 300 }, (_, n) =>
    sms.connection.request("channel.in.sms", JSON.stringify(message(`m${n}`, "sms")), { timeout: 30_000 }),
  );
  const answers = (await Promise.all(asked)).map((answer) => answer.json<{ error?: { code: number }; seq?: number }>());
  const stored = answers.filter(({ seq }) => seq !== undefined);
  expect(stored.length).toBeGreaterThanOrEqual(64);
  expect(answers.filter(({ error }) => error?.code === 429)).toHaveLength(300 - stored.length);
  const { streams } = await agents.manager();
  expect((await streams.info(inboundStream("sms"))).state.messages).toBe(stored.length);
});

test("messages left in the stream that all channels once shared are taken, their ids stay known, and the stream goes", async () => {
  await using server = await BusServer.start();
  const agents = await server.as("agents");
  const manager = await agents.manager();
  const former = {
    name: formerStream,
    subjects: ["channel.in.*", "channel.receipt.*", "permission.decide.*"],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_bytes: 256 * 1024 * 1024,
    max_age: nanos(30 * 24 * 3_600_000),
    duplicate_window: nanos(48 * 3_600_000),
  };
  await manager.streams.add(former);
  const publish = (id: string) =>
    agents.js.publish("channel.in.cli", JSON.stringify(message(id)), { msgID: `cli:${id}` });
  for (const id of ["answered", "b", "c"]) await publish(id);
  await agents.js.publish("channel.receipt.r1", JSON.stringify({ ok: true }), { msgID: "receipt:r1" });
  for await (const { ack } of storedInbound(agents, formerStream, new AbortController().signal)) {
    await ack();
    break;
  }
  const begin = async () => {
    expect(await retireFormerInbound(agents)).toBe(true);
    await ensureChannelStreams(agents, builtInChannels);
  };
  await begin();
  await begin(); // killed in between, and started again
  // What was read ahead before is delivered again, at least once and in any order.
  const taken = new Set<string>();
  for await (const { inbound, ack } of formerInbound(agents, new AbortController().signal)) {
    taken.add(inbound.kind === "message" ? inbound.message.id : inbound.kind);
    await ack();
  }
  expect(taken).toEqual(new Set(["b", "c", "receipt"]));
  expect(await retireFormerInbound(agents)).toBe(false);
  for await (const _ of formerInbound(agents, new AbortController().signal)) throw new Error("there is none");
  const cli = await server.as("channel-cli");
  for (const id of ["answered", "b", "c"]) expect(await publishInbound(cli, message(id))).toBe(false);
  expect(await publishInbound(cli, message("d"))).toBe(true);
});
