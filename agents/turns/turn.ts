/**
 * One turn of an agent: what waits goes to a run of cortex, what that says goes into the history, and how it ended to
 * whoever waits for it. The turn is kept before the run is asked for; so after a crash at any line it is the same run.
 */
import { messageOf } from "../../files/error-message.ts";
import { RejectedError, TooLargeError } from "../../bus/runs/client.ts";
import { messageBytes, mostMessageBytes } from "../../bus/events/message-size.ts";
import { estimateTokens } from "../../conversation/tokens.ts";
import { systemMessage } from "../../conversation/system-message.ts";
import { reached } from "../../proc/programs/durable-point.ts";
import type { InboxItem, Turn } from "../../protocol/agents/agent-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { TreeLimits } from "../../protocol/runs/grant.ts";
import type { Request } from "../../protocol/runs/request.ts";
import { defaultUnknownPriceUsd } from "../../protocol/runs/spent.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { promptOf, recordsOf } from "../inbox/format-messages.ts";
import { followRun } from "./follow-run.ts";
import { Heard, isStillOn } from "./turn-progress.ts";
import { windowOf } from "./model-window.ts";
import { withTurn } from "../record/daily-usage.ts";
import { reportTask } from "../tasks/task-report.ts";
import { requestOf } from "./turn-request.ts";
import { type Fitting, itemsThatFit } from "./turn-size.ts";
import { apologise, sendText, tellOfSilence } from "../replies/turn-replies.ts";
import { cancelWhenUnwanted } from "../record/cancel-turn.ts";

/** Begins a turn for these items, and carries it to its end. */
export async function beginTurn(agent: AgentRecord, items: readonly InboxItem[]): Promise<void> {
  const { deps, state } = agent;
  const run_id = deps.nextRunId();
  const before = await prefaces(agent);
  const bare = { ts: run_id, ...(await requestOf(agent, before.join("\n\n"))) };
  const { items: fittingItems, told } = fitting(agent, bare, items);
  const prompt = [...before, ...noteOfOmitted(fittingItems.length - told.length), promptOf(recordsOf(told))].join(
    "\n\n",
  );
  // A reset or a stop came meanwhile: nothing of it is left to be answered.
  if (agent.state.turn || !items.every(({ id }) => agent.inbox.isWaiting(id))) return;
  const turn: Turn = { ...turnFor(run_id, fittingItems), request: { ...bare, prompt }, is_fitted: true };
  const context_tokens = state.context_tokens + estimateTokens([{ role: "user", text: prompt }]);
  await agent.update({ turn, context_tokens, has_memory_index: true });
  reached("turn kept");
  await carryOn(agent, turn);
}

/** Keeps a turn that was stopped before it began: it ends like any other that was stopped, and no run is asked for. */
export async function keepUnasked(agent: AgentRecord, items: readonly InboxItem[]): Promise<void> {
  const request = { prompt: "" };
  const turn: Turn = { ...turnFor(agent.deps.nextRunId(), items), request, is_unwanted: true, is_unasked: true };
  await agent.update({ turn });
}

function turnFor(runId: number, items: readonly InboxItem[]): Pick<Turn, "run_id" | "items" | "channel"> {
  const channel = items.findLast((item) => item.channel && !item.silent)?.channel;
  return { run_id: String(runId), items: items.map(({ id }) => id), ...(channel && { channel }) };
}

/** The items for which a request has room beside what it holds already. */
function fitting({ deps: { bus } }: AgentRecord, bare: Request, items: readonly InboxItem[]): Fitting {
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
async function prefaces(agent: AgentRecord): Promise<string[]> {
  const { deps, state, history, descriptor } = agent;
  const [first] = history.records;
  const summary =
    state.last_run === undefined && first?.type === "compact"
      ? [systemMessage("history", `${first.summary}\n\nAll of it: session_archive_read("${first.archive}")`)]
      : [];
  const hasMemory = descriptor.kind === "main" || descriptor.kind === "cron" || descriptor.kind === "heartbeat";
  const index = hasMemory && !state.has_memory_index ? deps.memoryIndex() : "";
  return index === "" ? summary : [...summary, systemMessage("memory", index)];
}

/** Carries a turn that was kept to its end. */
export async function carryOn(agent: AgentRecord, turn: Turn): Promise<void> {
  const { deps, history, inbox } = agent;
  const items = inbox.waiting.filter(({ id }) => turn.items.includes(id));
  // One that was said into the former turn, and came too late for its model, stands there already.
  await history.append(...recordsOf(items.filter(({ id }) => !history.has(id))));
  reached("turn recorded");
  deps.publishEvent(agent.id, "turn_started", { run_id: turn.run_id, items: turn.items });
  const heard = new Heard(agent, turn);
  using _ = cancelWhenUnwanted(agent);
  const last = await runOf(agent, turn, heard);
  if (last === "again") return;
  await endTurn(agent, turn, last, heard);
}

/** Its last word. A turn for which nothing is left isn't run at all. */
async function runOf(agent: AgentRecord, turn: Turn, heard: Heard): Promise<AgentEvent | "again"> {
  const { deps } = agent;
  if (turn.is_unasked) return refusal(turn, "cancelled", "it was stopped before it began");
  const request = turn.request as Request;
  const spentUp = Object.keys(TreeLimits.shape).find((name) => request[name] === 0);
  if (spentUp !== undefined) return refusal(turn, "budget", `nothing is left of ${spentUp}`);
  return followRun(
    {
      journal: deps.journal,
      bus: deps.bus,
      request,
      isUnwanted: () => agent.state.turn?.is_unwanted ?? false,
      onProblem: (error) => deps.log.warn({ agent: agent.id, run: turn.run_id, err: error }, "a turn waits for cortex"),
    },
    (event) => heard.take(event),
  ).catch((error: unknown) => refused(agent, turn, error));
}

/**
 * A request that can't become a run. An id that somebody else has taken is chosen anew, and a turn that an older version
 * has made too large is made anew, of fewer items.
 */
async function refused(agent: AgentRecord, turn: Turn, error: unknown): Promise<AgentEvent | "again"> {
  if (!(error instanceof RejectedError)) throw error;
  if (agent.state.turn?.is_unwanted) return refusal(turn, "cancelled", "it was stopped");
  if (error instanceof TooLargeError && !turn.is_fitted) {
    await agent.update({ turn: null, has_memory_index: false });
    return "again";
  }
  if (error instanceof TooLargeError) return refusal(turn, "config", `what was said is too long: ${error.message}`);
  if (error.reason === "duplicate_id") {
    const run_id = agent.deps.nextRunId();
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

async function endTurn(agent: AgentRecord, turn: Turn, last: AgentEvent, heard: Heard): Promise<void> {
  const { deps, inbox, state } = agent;
  const wasStopped = last["reason"] === "cancelled";
  const isLost = last.event === "error" && /cannot continue from .{0,200}not found/.test(textField(last, "error"));
  if (isLost && state.last_run !== undefined) return loseThread(agent, turn);
  if (agent.descriptor.kind === "subagent") await reportTask(agent, turn, last, wasStopped);
  else if (last.event === "error" && !wasStopped) await apologise(agent, turn, last);
  const isTextSent = await sendText(agent, turn, last, heard.said);
  const saidNothing = last.event === "finish" && turn.channel !== undefined && heard.said.isNothing && !isTextSent;
  if (saidNothing) await tellOfSilence(agent, turn);
  reached("turn reported");
  await inbox.settle([...turn.items, ...heard.steered]);
  reached("items settled");
  const provider = { ...state.provider, ...heard.provider };
  const isOther = provider.model !== state.provider.model || provider.backend !== state.provider.backend;
  const window = isOther ? await windowOf(provider.backend ?? "", provider.model ?? "") : state.context_window;
  const price = deps.settings().budgets?.unknown_price_usd ?? defaultUnknownPriceUsd;
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
    spent: withTurn(agent.state, heard.spent, price, deps.timeZone),
    ...(task?.limits && { task: { ...task, limits: heard.use.left(task.limits, heard.spent, price) } }),
  });
  reached("turn ended");
  deps.publishEvent(agent.id, "turn_ended", {
    run_id: turn.run_id,
    items: [...turn.items, ...heard.steered],
    ok: last.event === "finish",
    replies: heard.said.replies + (isTextSent ? 1 : 0),
    ...(saidNothing && { said_nothing: true }),
    ...(last.event === "error" && { error: textField(last, "error"), reason: last["reason"] }),
  });
}

/** The runs from which it would go on are gone. It begins anew, and is told so. */
async function loseThread(agent: AgentRecord, turn: Turn): Promise<void> {
  const { deps } = agent;
  deps.log.warn({ agent: agent.id, run: agent.state.last_run }, "the former run of a conversation is gone");
  const note = systemMessage(
    "history",
    "The conversation before this can't be read any more, except for what your memory holds.",
  );
  const { continue_from: _, ...request } = turn.request;
  const run_id = deps.nextRunId();
  const prompt = `${note}\n\n${turn.request.prompt}`;
  await agent.update({
    last_run: undefined,
    turn: { ...turn, ...agent.state.turn, run_id: String(run_id), request: { ...request, ts: run_id, prompt } },
  });
}

/** Ends a turn that failed within cortex each time: its items are put away, and its user is told why. */
export async function giveUpTurn(agent: AgentRecord, items: readonly InboxItem[], error: unknown): Promise<void> {
  const { deps, inbox } = agent;
  const turn = agent.state.turn ?? turnFor(deps.nextRunId(), items);
  const why = messageOf(error);
  const last = refusal(turn, "internal", `it failed within cortex, and was put away (cortex quarantine): ${why}`);
  await inbox.settle(turn.items);
  if (agent.state.turn) await agent.update({ turn: null });
  // Not waited for in vain: what it is told by may be what has failed.
  if (agent.descriptor.kind === "subagent") await reportTask(agent, turn, last, false).catch(problem);
  else await apologise(agent, turn, last).catch(problem);
  deps.publishEvent(agent.id, "turn_ended", {
    run_id: turn.run_id,
    items: turn.items,
    ok: false,
    error: textField(last, "error"),
    reason: last["reason"],
  });

  function problem(err: unknown): void {
    deps.log.error({ agent: agent.id, err }, "nobody could be told that a turn was put away");
  }
}
