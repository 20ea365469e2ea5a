/** The program `agents`: takes in what people write to long-lived agents, which answer with a run of cortex a turn. */
import { answerCalls, publishAgentNews } from "../bus/agents/agent-calls.ts";
import { publishChannelTurns } from "../bus/agents/channel-turns.ts";
import { openChannelGate } from "../bus/agents/channel-gate.ts";
import { ensureChannelStreams } from "../bus/agents/channels.ts";
import { retireFormerInbound } from "../bus/agents/former-inbound.ts";
import { openBus } from "../bus/connection/connect.ts";
import { addressAs, readBusAccess } from "../journal/access/endpoints.ts";
import { makePrivateFolders } from "../journal/config/paths.ts";
import { ownLog } from "../journal/logs/program-logs.ts";
import { writeProgramRecord } from "../journal/programs/programs.ts";
import { Quarantine } from "../journal/quarantine/quarantine.ts";
import { watchSettings } from "../journal/config/settings.ts";
import { watchPersonas } from "../personas/watch.ts";
import { readEnvironment } from "../proc/programs/environment.ts";
import { reloadOnSignal } from "../proc/programs/reload-signal.ts";
import { logOf } from "../proc/logging/log.ts";
import { channelTypes, reachableChannels } from "../protocol/agents/agents-settings.ts";
import { type Channel, type MessageSubject, noticeOf } from "../protocol/agents/channel.ts";
import { answerCommand } from "./commands.ts";
import { contextLimits } from "./turns/context-size.ts";
import { AgentDirectory } from "./record/directory.ts";
import type { AgentDeps } from "./record/agent-deps.ts";
import { InboundReader } from "./inbound-reader.ts";
import { InboundIntake } from "./intake.ts";
import { SentReplies } from "./replies/sent-replies.ts";
import { KnownRooms } from "./inbox/known-rooms.ts";
import { Owners } from "./inbox/owners.ts";
import { HeldTurns } from "./tasks/held-turns.ts";
import { Questions } from "./permissions/questions.ts";
import { knownChannels, type KnownChannels } from "./prompt/known-channels.ts";
import { buildPrompts, type Prompts } from "./prompt/build.ts";
import { reportLosses } from "./record/report-losses.ts";
import { monotonicIds } from "./turns/monotonic-ids.ts";
import type { ServiceParts } from "./service-deps.ts";
import { strangerLimits, StrangerLimiter } from "./inbox/stranger-limits.ts";
import { memoryIndex, externalPacksOf, skillLines } from "./prompt/prompt-context.ts";
import { answerToolCall } from "./tool-calls.ts";
import { AgentWorkers } from "./workers.ts";

/** A server that takes the connection and says nothing is held up; one that isn't there is known at once. */
const connectMs = 20_000;
/** Most characters of a notice of our own. */
const longestNotice = 4000;
/** Prompts at most that are kept: rooms come and go. */
const mostPrompts = 200;
/** Once everything is closed. */
const leaveMs = 500;

const { journalPath: journal, natsUrl, natsFiles, timeZone } = readEnvironment();
makePrivateFolders(journal);
const log = logOf("agents", ownLog(journal, "agents"));
const rereads = reloadOnSignal(log);
const stopping = new AbortController();
const { signal } = stopping;
const watched = await watchSettings(journal, {
  signal,
  onChange: () => log.info("cortex.json was read again"),
  onProblem: (error) => log.error({ err: error }, "cortex.json can't be used: keeping the previous settings"),
});
const settings = () => watched.current;
const personas = await watchPersonas(journal, {
  signal,
  onProblem: (problem) =>
    log.warn({ persona: problem.name, path: problem.path, err: problem.error }, "a persona can't be read"),
});
rereads.push({ what: "cortex.json", reload: watched.reload }, { what: "personas", reload: personas.reload });

const access = natsUrl === undefined ? readBusAccess(journal) : null;
const address = natsUrl === undefined ? access && addressAs(access, "agents") : { url: natsUrl, ...natsFiles };
if (!address) throw new Error(`no bus for ${journal}: set NATS_URL, or start everything with cortex up`);
await using bus = await openBus(address, "agents", connectMs);
await retireFormerInbound(bus);
await ensureChannelStreams(bus, channelTypes(settings().channels), settings().bus?.replicas ?? 1);

const promptContext = {
  channelTypes: reachableChannels(settings().channels),
  skills: await skillLines(journal, log),
  windowTokens: contextLimits(settings().agents).window,
};
const builtPrompts = new Map<string, Prompts>();
const nextRunId = monotonicIds();
const agentDeps: AgentDeps = {
  journal,
  bus,
  timeZone,
  settings,
  personas,
  prompts: {
    of: promptsOf,
    externalTools: () => externalPacksOf(journal),
    memoryIndex: () => memoryIndex(journal),
  },
  messages: {
    sendNotice: noticeIfPossible,
    sendReply: (message) => replies.send(message),
    post: async (id, item) => workers.post(id, item),
  },
  log,
  quarantine: new Quarantine(journal, "agents"),
  nextRunId,
  publishEvent: (agent_id, event, more) => {
    const news = { event, ts: Date.now(), agent_id, ...more };
    publishAgentNews(bus, news);
    publishChannelTurns(bus, news);
  },
  questionsOf: (id) => questions.kept.of(id),
};
using directory = new AgentDirectory(agentDeps);
using workers = new AgentWorkers(directory);
await directory.open();
for (const { state } of directory.all) nextRunId(Number(state.turn?.run_id ?? state.last_run ?? 0));
using replies = new SentReplies(agentDeps);
const owners = new Owners(journal, settings);
const rooms = new KnownRooms(journal);
using questions: Questions = new Questions({ ...agentDeps, directory });
using heldTurns = new HeldTurns({ ...agentDeps, directory });
const strangers = new StrangerLimiter(journal, () => strangerLimits(settings().agents?.strangers), timeZone);
const parts: ServiceParts = { directory, workers, replies, owners, rooms, questions, heldTurns, strangers };
const deps = { ...agentDeps, ...parts };
const intake = new InboundIntake(deps);
answerCalls(bus, {
  tool: (call) => answerToolCall(deps, call),
  command: (command) => answerCommand(deps, command),
  onProblem: (error) => log.error({ err: error }, "a call of the agents' tools failed"),
});
await bus.connection.flush();
await reportLosses(directory, deps);
workers.start();
const inbound = new InboundReader({
  ...deps,
  intake,
  giveUp: (error) => {
    if (signal.aborted) return;
    log.fatal({ err: error }, "inbound messages can't be read");
    process.exit(1);
  },
  signal,
});
inbound.follow(channelTypes(settings().channels));
openChannelGate(bus, (subject, { code, description: error }) =>
  log.warn({ subject, code, error }, "what an adapter said was refused"),
);
await bus.connection.flush();
await writeProgramRecord(journal, "agents", { pid: process.pid });
log.info({ journal, agents: directory.all.length }, "ready");

const stopped = new Promise<void>((resolve) => process.on("SIGTERM", resolve).on("SIGINT", resolve));
await stopped;
log.info("stopping");
stopping.abort();
// What is under way was kept: the next start goes on with it.
setTimeout(() => process.exit(), leaveMs).unref();

/** The prompts of a persona's agents: of the settings at the start, and of the people and rooms that are known by now. */
function promptsOf(name: string, tools: readonly string[]): Prompts {
  const known = placesNow();
  const key = JSON.stringify([name, tools, known]);
  const parts = { ...promptContext, knownChannels: known, tools, persona: personas.get(name) };
  const built = builtPrompts.get(key) ?? buildPrompts(parts);
  if (builtPrompts.size >= mostPrompts) builtPrompts.clear();
  builtPrompts.set(key, built);
  return built;
}

/** The channels and rooms that agents are told of. Where each room or thread has an agent of its own, that one hears of no other room. */
function placesNow(): KnownChannels {
  const { channels, agents } = settings();
  return knownChannels(channels, owners.all, (agents?.binding ?? "shared") === "shared" ? rooms.all : []);
}

/** Sends a notice of our own, unless the settings no longer have its channel: no adapter would ever deliver it. */
async function noticeIfPossible(id: string, channel: Channel, text: string, about?: MessageSubject): Promise<void> {
  if (channelTypes(settings().channels).includes(channel.type))
    return replies.send(noticeOf(id, channel, text.slice(0, longestNotice), about));
  log.warn({ channel, text }, "nobody can be told: this channel isn't in the settings any more");
}
