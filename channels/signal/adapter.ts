/** The channel `signal`: an account of signal-cli, whose daemon is asked over HTTP. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { hearChannelTurns } from "../../bus/agents/channel-turns.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { attachmentRules } from "../../journal/attachments/take-attachments.ts";
import { isBoundRoom } from "../../journal/channels/bound-rooms.ts";
import { EventQueue } from "../../journal/channels/event-queue.ts";
import { noFiles } from "../../journal/channels/known-people.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import type { AgentSide, ChannelAdapter } from "../adapter/adapter.ts";
import { askedBy } from "../adapter/questions/asked-question.ts";
import type { AdapterDeps } from "../adapter/open-adapter.ts";
import { refusesFilesOf } from "../adapter/senders/owners-now.ts";
import { Senders } from "../adapter/senders/senders.ts";
import { ReceivedEvent } from "./envelope.ts";
import { readEvents } from "./event-stream.ts";
import { describedFile, fetchFile } from "./fetch-file.ts";
import { handleEvents } from "./handle-events.ts";
import { type Incoming, incomingOf, type OwnAccount } from "./incoming.ts";
import { Presence } from "./presence.ts";
import { AskingMessages, decisionOf } from "./reactions.ts";
import { sendPart } from "./send-part.ts";
import { readSignalConfig } from "./signal-config.ts";
import { signalParts } from "./signal-parts.ts";
import { type SignalRpc, signalRpc } from "./signal-rpc.ts";

/** Milliseconds for what is under way when it stops. */
const stopMs = 2000;

export async function openSignal(deps: AdapterDeps): Promise<ChannelAdapter> {
  const { journal, bus, log, outbox } = deps;
  const config = readSignalConfig(deps);
  const rpc = signalRpc(config);
  const own: OwnAccount = { number: config.number, uuid: null };
  const stopping = new AbortController();
  const signal = AbortSignal.any([deps.signal, stopping.signal]);
  const queue = new EventQueue(journal, "signal");
  const presence = new Presence(rpc, log, signal);
  const asking = new AskingMessages(journal, outbox);
  let running: Promise<unknown> = Promise.resolve();
  return {
    type: "signal",
    start: async (agent) => {
      hearChannelTurns(bus, "signal", (turn) => presence.typing.turned(turn));
      const handle = eventHandler({ ...deps, signal }, { rpc, own, presence, asking, agent });
      const handling = handleEvents({ journal, queue, handle, log, signal }).catch(agent.giveUp);
      const onConnected = () => log.info("signal-cli's events are heard");
      const onEvent = (data: string) => queue.add(data, signal);
      const reading = readEvents({ config, onConnected, onEvent, log, signal }).catch(agent.giveUp);
      running = Promise.all([handling, reading]);
      return { url: config.url };
    },
    split: signalParts,
    deliver: async (part, deliverySignal) => {
      presence.typing.answered(part.channel);
      const sending = sendPart(rpc, { journal, number: config.number }, part, deliverySignal);
      const question = askedBy(part);
      if (question) asking.add(question.token, sending);
      return { external_id: String(await sending) };
    },
    // What was read is written down; an event that isn't done comes again.
    stop: async () => {
      stopping.abort();
      presence[Symbol.dispose]();
      await Promise.race([running, delay(stopMs)]);
      queue[Symbol.dispose]();
    },
  };
}

const UserStatus = z.array(z.looseObject({ uuid: z.string().nullish() }));

/** Asks the daemon for our own uuid, by which alone a mention or a reaction may name us. Without it the number has to do. */
async function learnOwnId(rpc: SignalRpc, own: OwnAccount, log: Logger, signal: AbortSignal): Promise<void> {
  try {
    const [status] = UserStatus.parse(await rpc("getUserStatus", { recipient: [own.number] }, signal));
    own.uuid = status?.uuid ?? null;
  } catch (error) {
    if (!signal.aborted) log.info({ error: messageOf(error) }, "the account's own id isn't known yet");
  }
}

type EventParts = {
  rpc: SignalRpc;
  own: OwnAccount;
  presence: Presence;
  asking: AskingMessages;
  agent: AgentSide;
};

/** Makes the handler of events: a message for an agent is stored before it resolves. */
function eventHandler(
  { journal, settings, log, signal }: AdapterDeps,
  { rpc, own, presence, asking, agent }: EventParts,
): (event: string) => Promise<void> {
  const senders = new Senders(journal, "signal", settings.allow);

  return async (event) => {
    const read = ReceivedEvent.safeParse(parsed(event));
    if (!read.success) {
      const problems = issueTexts(read.error, undefined).slice(0, 5);
      return log.warn({ problems }, "an event of signal-cli's can't be read: it was passed over");
    }
    const { mentions, reaction } = read.data.envelope?.dataMessage ?? {};
    if (own.uuid === null && (mentions || reaction)) await learnOwnId(rpc, own, log, signal);
    const incoming = incomingOf(read.data, own, (id) => senders.isNamed(id));
    if (incoming.kind === "message") await handleMessage(incoming);
    if (incoming.kind === "reaction") await handleReaction(incoming);
  };

  async function handleMessage(incoming: Extract<Incoming, { kind: "message" }>): Promise<void> {
    const { message, files, room } = incoming;
    const { userId = "" } = message.channel;
    // In a room that is bound to a thread everything belongs to it.
    if (!incoming.isForUs && !isBoundRoom(journal, message.channel)) return;
    if (!senders.mayWrite(userId)) return log.info({ id: message.id }, "a message of somebody who may not write");
    const rules = attachmentRules(usableSettings(journal).settings);
    const isRefused = files.length > 0 && refusesFilesOf(journal, message.channel);
    const attachments = [];
    for (const file of files.slice(0, mostFiles))
      attachments.push(
        isRefused
          ? { ...describedFile(file), problem: noFiles }
          : await fetchFile({ rpc, journal, rules, signal }, file, room),
      );
    for (const { name, problem } of attachments)
      if (problem !== undefined) log.warn({ id: message.id, name, problem }, "a file wasn't stored");
    const { isRepeated } = await agent.send({ ...message, ...(attachments.length > 0 && { attachments }) });
    if (!isRepeated && incoming.isForUs) presence.taken(incoming);
  }

  async function handleReaction(reaction: Extract<Incoming, { kind: "reaction" }>): Promise<void> {
    const decision = decisionOf(reaction.emoji);
    if (decision === null || !reaction.isOnOurs || !senders.isOwner(reaction.userId)) return;
    const question = await asking.questionAt(reaction.targetTimestamp);
    if (question !== null) await agent.decide(question, { decision, userId: reaction.userId });
  }
}

/** From `InboundMessage`. */
const mostFiles = 64;

function parsed(event: string): unknown {
  try {
    return parseJson(event);
  } catch {
    return undefined;
  }
}
