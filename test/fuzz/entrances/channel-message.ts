/** Messages, receipts and decisions of an adapter that isn't ours. Each is answered: stored, or refused in words. */
import { createInbox } from "@nats-io/transport-node";
import type { Engine } from "../../simulation/engine.ts";
import type { Entrance } from "../entrance.ts";
import { ownerId } from "../fuzz-system.ts";
import { hostileJson } from "../hostile.ts";

const maxBytes = 1_000_000;
const answeredWithinMs = 60_000;

export const channelMessage: Entrance = {
  name: "message of a channel",
  async attack(system, engine) {
    const { connection } = system.clients.channel;
    const { subject, sample } = messageOf(engine, system.nextId());
    const reply = createInbox("_INBOX_channel-alpha");
    const message = await connection.request(subject, hostileJson(engine, sample).subarray(0, maxBytes), {
      timeout: answeredWithinMs,
      noMux: true,
      reply,
    });
    return "error" in (message.json<object>() ?? {}) ? "refused" : "taken";
  },
};

function messageOf(engine: Engine, id: string): { subject: string; sample: unknown } {
  const kind = engine.between(0, 9);
  if (kind === 0)
    return { subject: `channel.receipt.r${id}-1`, sample: { ok: true, external_id: "1", error: "no", unknown: false } };
  if (kind === 1)
    return { subject: `permission.decide.t${id}`, sample: { decision: "allow", userId: ownerId, always: true } };
  const userId = engine.pick([ownerId, "stranger-1", "stranger-2"]);
  const channel = { type: "alpha", channelId: engine.pick(["main", "room"]), userId, replyTo: "thread" };
  const attachments = [{ name: "a.png", type: "image/png", size: 3, path: "agents/attachments/a.png" }];
  const sample = { id: `m${id}`, text: "Hello", channel, metadata: { agent: "x", a: 1 }, attachments };
  return { subject: "channel.in.alpha", sample };
}
