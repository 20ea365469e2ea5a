/**
 * One turn of an agent: what waits goes to a run of cortex, what that says goes into the history, and how it ended to
 * whoever waits for it. The turn is kept before the run is asked for; so after a crash at any line it is the same run.
 */
import { RejectedError, TooLargeError } from "../bus/client.ts";
import { messageBytes, mostMessageBytes } from "../bus/message-size.ts";
import { estimateTokens } from "../conversation/tokens.ts";
import { systemMessage } from "../conversation/system-message.ts";
import { reached } from "../proc/durable-point.ts";
import type { HistoryRecord, InboxItem, Turn } from "../protocol/agent-files.ts";
import { dayOf } from "../protocol/day.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { textField } from "../protocol/text-field.ts";
import { TreeLimits } from "../protocol/grant.ts";
import type { Request } from "../protocol/request.ts";
import { added, costAtMost, defaultUnknownPriceUsd, nothingSpent, spentBy } from "../protocol/spent.ts";
import type { Agent } from "./agent.ts";
import { promptOf, recordsOf } from "./compose.ts";
import { followRun } from "./follow-run.ts";
import { windowOf } from "./model-window.ts";
import { recordOfEvent } from "./record-events.ts";
import { Steered } from "./steered.ts";
import { RunUse } from "./task-limits.ts";
import { reportTask } from "./task-report.ts";
import { requestOf } from "./turn-request.ts";
import { type Fitting, itemsThatFit } from "./turn-size.ts";
import { endWhenUnwanted } from "./unwanted-turn.ts";

/** Begins a turn for these items, and carries it to its end. */
export async function beginTurn(agent: Agent, items: readonly InboxItem[]): Promise<void> {
  const { host, state } = agent;
  const run_id = host.nextRunId();
  const before = await prefaces(agent);
  const bare = { ts: run_id, ...(await requestOf(agent, before.join("\n\n"))) };
  const { take, told } = fitting(agent, bare, items);
  const prompt = [...before, ...noteOfOmitted(take.length - told.length), promptOf(recordsOf(told))].join("\n\n");
  // A reset or a stop came meanwhile: nothing of it is left to be answered.
  if (agent.state.turn || !items.every(({ id }) => agent.inbox.isWaiting(id))) return;
  const turn: Turn = { ...turnFor(run_id, take), request: { ...bare, prompt }, is_fitted: true };
  const context_tokens = state.context_tokens + estimateTokens([{ role: "user", text: prompt }]);
  await agent.update({ turn, context_tokens, has_memory_index: true });
  reached("turn kept");
  await carryOn(agent, turn);
}

/** Keeps a turn that was stopped before it began: it ends like any other that was stopped, and no run is asked for. */
export async function keepUnasked(agent: Agent, items: readonly InboxItem[]): Promise<void> {
  const request = { prompt: "" };
  const turn: Turn = { ...turnFor(agent.host.nextRunId(), items), request, is_unwanted: true, is_unasked: true };
  await agent.update({ turn });
}

function turnFor(runId: number, items: readonly InboxItem[]): Pick<Turn, "run_id" | "items" | "channel"> {
  const channel = items.findLast((item) => item.channel && !item.silent)?.channel;
  return { run_id: String(runId), items: items.map(({ id }) => id), ...(channel && { channel }) };
}

/** The items for which a request has room beside what it holds already. */
function fitting({ host: { bus } }: Agent, bare: Request, items: readonly InboxItem[]): Fitting {
  const most = mostMessageBytes(bus) - messageBytes(bare) - noteBytes;
  return itemsThatFit(items, { most, sizeOf: (item) => messageBytes(`${promptOf(recordsOf([item]))}\n\n`) });
}

/** Room for the note of what was left out, and what joins it. */
const noteBytes = 512;

function noteOfOmitted(count: number): string[] {
  if (count === 0) return [];
  const what = `${count} earlier notices are left out here: together they are too long. They stand in history.jsonl.`;
  return [systemMessage("history", what)];
}

/** What the model is told once, at the begin of a conversation: its summary, and the index of the memory. */
async function prefaces(agent: Agent): Promise<string[]> {
  const { host, state, history, descriptor } = agent;
  const [first] = history.records;
  const summary =
    state.last_run === undefined && first?.type === "compact"
      ? [systemMessage("history", `${first.summary}\n\nAll of it: session_archive_read("${first.archive}")`)]
      : [];
  const hasMemory = descriptor.kind === "main" || descriptor.kind === "cron" || descriptor.kind === "heartbeat";
  const index = hasMemory && !state.has_memory_index ? host.memoryIndex() : "";
  return index === "" ? summary : [...summary, systemMessage("memory", index)];
}

/** Carries a turn that was kept to its end. */
export async function carryOn(agent: Agent, turn: Turn): Promise<void> {
  const { host, history, inbox } = agent;
  const items = inbox.waiting.filter(({ id }) => turn.items.includes(id));
  // One that was said into the former turn, and came too late for its model, stands there already.
  await history.append(...recordsOf(items.filter(({ id }) => !history.has(id))));
  reached("turn recorded");
  host.tell(agent.id, "turn_started", { run_id: turn.run_id, items: turn.items });
  const heard = new Heard(agent, turn);
  using _ = endWhenUnwanted(agent);
  const last = await runOf(agent, turn, heard);
  if (last === "again") return;
  await endTurn(agent, turn, last, heard);
}

/** Its last word. A turn for which nothing is left isn't run at all. */
async function runOf(agent: Agent, turn: Turn, heard: Heard): Promise<AgentEvent | "again"> {
  const { host } = agent;
  if (turn.is_unasked) return refusal(turn, "cancelled", "it was stopped before it began");
  const request = turn.request as Request;
  const spentUp = Object.keys(TreeLimits.shape).find((name) => request[name] === 0);
  if (spentUp !== undefined) return refusal(turn, "budget", `nothing is left of ${spentUp}`);
  return followRun(
    {
      journal: host.journal,
      bus: host.bus,
      request,
      isUnwanted: () => agent.state.turn?.is_unwanted ?? false,
      onProblem: (error) => host.log.warn({ agent: agent.id, run: turn.run_id, err: error }, "a turn waits for cortex"),
    },
    (event) => heard.take(event),
  ).catch((error: unknown) => refused(agent, turn, error));
}

/** What a turn's run has said so far. */
class Heard {
  readonly #agent: Agent;
  readonly #turn: Turn;
  #lastText: string | null = null;
  /** As the model has counted them at its last call; null where it doesn't. */
  tokens: number | null = null;
  /** About how many what it said has. */
  estimate = 0;
  spent = nothingSpent;
  readonly use = new RunUse();
  provider: { backend?: string; model?: string } = {};
  readonly #steered = new Steered();
  readonly #matched = new Set<string>();

  constructor(agent: Agent, turn: Turn) {
    this.#agent = agent;
    this.#turn = turn;
  }

  async take(event: AgentEvent): Promise<void> {
    const record = event.event === "input" ? this.#input(event) : recordOfEvent(event, this.#lastText);
    this.#steered.take(event, record?.id);
    if (event.event === "text") this.#lastText = textField(event, "text");
    if (event.event === "start") this.provider = providerOf(event);
    if (event.event === "usage") this.#count(event);
    this.spent = added(this.spent, spentBy(event, this.spent) ?? nothingSpent);
    this.use.take(event);
    // Begun anew meanwhile, its conversation knows nothing of this turn.
    if (!record || !isStillOn(this.#agent, this.#turn)) return;
    this.estimate += estimateTokens([{ role: "assistant", result: record }]);
    await this.#agent.history.append(record);
    reached("turn's word recorded");
  }

  /** The ids of the messages that were said into the turn and that its model has heard. */
  get steered(): string[] {
    return this.#steered.heard.filter((id) => this.#matched.has(id));
  }

  /** What was said into the run is what waits with the same words: nothing else ties the two. */
  #input(event: AgentEvent): HistoryRecord {
    const text = textField(event, "text");
    const item = this.#agent.inbox.waiting.find(
      (one) => !this.#turn.items.includes(one.id) && !this.#matched.has(one.id) && promptOf(recordsOf([one])) === text,
    );
    if (item) this.#matched.add(item.id);
    // After a crash it may be settled, and stand there.
    const known = this.#agent.history.records.find(
      (record) => record.type === "user" && record.ts === event.ts && record.text === text,
    );
    return { type: "user", ts: event.ts, id: known?.id ?? item?.id ?? `${this.#turn.run_id}:${event.seq}`, text };
  }

  #count(event: AgentEvent): void {
    const number = (key: string) => (typeof event[key] === "number" ? event[key] : 0);
    this.tokens = number("input_tokens") + number("output_tokens") || null;
  }
}

function providerOf(event: AgentEvent): { backend?: string; model?: string } {
  const { backend, model } = event;
  return {
    ...(typeof backend === "string" && { backend }),
    ...(typeof model === "string" && { model }),
  };
}

/**
 * A request that can't become a run. An id that somebody else has taken is chosen anew, and a turn that an older version
 * has made too large is made anew, of fewer items.
 */
async function refused(agent: Agent, turn: Turn, error: unknown): Promise<AgentEvent | "again"> {
  if (!(error instanceof RejectedError)) throw error;
  if (agent.state.turn?.is_unwanted) return refusal(turn, "cancelled", "it was stopped");
  if (error instanceof TooLargeError && !turn.is_fitted) {
    await agent.update({ turn: null, has_memory_index: false });
    return "again";
  }
  if (error instanceof TooLargeError) return refusal(turn, "config", `what was said is too long: ${error.message}`);
  if (error.reason === "duplicate_id") {
    const run_id = agent.host.nextRunId();
    await agent.update({
      turn: { ...turn, ...agent.state.turn, run_id: String(run_id), request: { ...turn.request, ts: run_id } },
    });
    return "again";
  }
  return refusal(turn, error.reason === "overloaded" ? "internal" : "config", error.message);
}

/** The end of a turn that became no run: it has no number, since it stands in no file. */
const refusal = ({ run_id }: Pick<Turn, "run_id">, reason: string, error: string): AgentEvent => ({
  event: "error",
  ts: Date.now(),
  agent_id: run_id,
  seq: 0,
  error,
  reason,
});

async function endTurn(agent: Agent, turn: Turn, last: AgentEvent, heard: Heard): Promise<void> {
  const { host, inbox, state } = agent;
  const wasStopped = last["reason"] === "cancelled";
  const isLost = last.event === "error" && /cannot continue from .{0,200}not found/.test(textField(last, "error"));
  if (isLost && state.last_run !== undefined) return loseThread(agent, turn);
  if (agent.descriptor.kind === "subagent") await reportTask(agent, turn, last, wasStopped);
  else if (last.event === "error" && !wasStopped) await apologise(agent, turn, last);
  reached("turn reported");
  await inbox.settle([...turn.items, ...heard.steered]);
  reached("items settled");
  const provider = { ...state.provider, ...heard.provider };
  const isOther = provider.model !== state.provider.model || provider.backend !== state.provider.backend;
  const window = isOther ? await windowOf(provider.backend ?? "", provider.model ?? "") : state.context_window;
  const day = dayOf(Date.now(), host.timeZone);
  const before = state.spent?.day === day ? state.spent.usd : 0;
  const price = host.settings().budgets?.unknown_price_usd ?? defaultUnknownPriceUsd;
  const cost = costAtMost(heard.spent, price);
  const isOn = isStillOn(agent, turn);
  const { task } = agent.state;
  await agent.update({
    turn: null,
    // Nobody can go on from a run that there never was.
    last_run: !isOn ? undefined : last.seq === 0 ? agent.state.last_run : turn.run_id,
    provider,
    context_window: window,
    // The first of a conversation that was refused has told its model nothing.
    ...(last.seq === 0 && agent.state.last_run === undefined && { has_memory_index: false }),
    // A model that tells nothing of tokens is no reason to think that there are none.
    ...(isOn && { context_tokens: heard.tokens ?? agent.state.context_tokens + heard.estimate }),
    spent: { day, usd: before + cost },
    ...(task?.limits && { task: { ...task, limits: heard.use.left(task.limits, heard.spent, price) } }),
  });
  reached("turn ended");
  host.tell(agent.id, "turn_ended", {
    run_id: turn.run_id,
    items: [...turn.items, ...heard.steered],
    ok: last.event === "finish",
    ...(last.event === "error" && { error: textField(last, "error"), reason: last["reason"] }),
  });
}

/** Whether the conversation to which the turn belongs still goes on: it may have been reset meanwhile. */
function isStillOn({ history }: Agent, { run_id }: Turn): boolean {
  const [first] = history.records;
  return first === undefined || first.type === "start" || first.ts < Number(run_id);
}

/** The runs from which it would go on are gone. It begins anew, and is told so. */
async function loseThread(agent: Agent, turn: Turn): Promise<void> {
  const { host } = agent;
  host.log.warn({ agent: agent.id, run: agent.state.last_run }, "the former run of a conversation is gone");
  const note = systemMessage(
    "history",
    "The conversation before this can't be read any more, except for what your memory holds.",
  );
  const { continue_from: _, ...request } = turn.request;
  const run_id = host.nextRunId();
  const prompt = `${note}\n\n${turn.request.prompt}`;
  await agent.update({
    last_run: undefined,
    turn: { ...turn, ...agent.state.turn, run_id: String(run_id), request: { ...request, ts: run_id, prompt } },
  });
}

/** Ends a turn that failed within cortex each time: its items are put away, and its user is told why. */
export async function giveUpTurn(agent: Agent, items: readonly InboxItem[], error: unknown): Promise<void> {
  const { host, inbox } = agent;
  const turn = agent.state.turn ?? turnFor(host.nextRunId(), items);
  const why = error instanceof Error ? error.message : String(error);
  const last = refusal(turn, "internal", `it failed within cortex, and was put away (cortex quarantine): ${why}`);
  await inbox.settle(turn.items);
  if (agent.state.turn) await agent.update({ turn: null });
  // Not waited for in vain: what it is told by may be what has failed.
  if (agent.descriptor.kind === "subagent") await reportTask(agent, turn, last, false).catch(problem);
  else await apologise(agent, turn, last).catch(problem);
  host.tell(agent.id, "turn_ended", {
    run_id: turn.run_id,
    items: turn.items,
    ok: false,
    error: textField(last, "error"),
    reason: last["reason"],
  });

  function problem(err: unknown): void {
    host.log.error({ agent: agent.id, err }, "nobody could be told that a turn was put away");
  }
}

/** Tells the user once that there is no answer, and why. */
async function apologise(agent: Agent, turn: Pick<Turn, "run_id" | "channel">, last: AgentEvent): Promise<void> {
  if (!turn.channel) return;
  const text = `I couldn't answer (${textField(last, "reason") || "error"}): ${textField(last, "error")}`;
  await agent.host.say(`failed-${turn.run_id}`, turn.channel, text);
}
