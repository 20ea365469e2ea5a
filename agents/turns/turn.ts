/**
 * A turn of an agent: the inbox items go to a run of cortex, its events into the history, and its end to whoever waits for it.
 * The turn is kept before the run is requested, so after a crash at any line it is the same run.
 */
import { withImageSizes } from "../../files/attachment-sizes.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { RejectedError, TooLargeError } from "../../bus/runs/client.ts";
import { followRun } from "../../bus/runs/follow-run.ts";
import { messageBytes, mostMessageBytes } from "../../bus/events/message-size.ts";
import { estimateTokens } from "../../conversation/size/tokens.ts";
import { systemMessage } from "../../conversation/marks/system-message.ts";
import { followedFiles } from "../../journal/runs/followed-files.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { HistoryRecord, InboxItem, AgentTurn } from "../../protocol/agents/agent-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { TreeLimits } from "../../protocol/runs/request/grant.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { defaultUnknownPriceUsd } from "../../protocol/runs/spent.ts";
import { firstTitle, messagesOfPeople, withUsage } from "../record/accounts.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { promptOf, recordsOf } from "../inbox/format-messages.ts";
import { partsOf, refsOf } from "../inbox/take-files.ts";
import { TurnProgress, isOfConversation } from "./turn-progress.ts";
import { sellerOf, windowOf } from "../../conversation/size/model-window.ts";
import { withTurn } from "../record/daily-usage.ts";
import { reportTask } from "../tasks/task-report.ts";
import { taskAfter } from "../tasks/task-state-machine.ts";
import { compactionOf } from "./record-compaction.ts";
import { requestOf } from "./turn-request.ts";
import { type FittingItems, itemsThatFit } from "./turn-size.ts";
import { sendFailureNotice, sendTextAsReply, sendSilenceNotice } from "../replies/turn-replies.ts";
import { cancelWhenUnwanted } from "../record/cancel-turn.ts";

/** Begins a turn for these items, and runs it to its end. */
export async function beginTurn(agent: AgentRecord, items: readonly InboxItem[]): Promise<void> {
  const { deps, state } = agent;
  const run_id = deps.nextRunId();
  const asked = await requestOf(agent);
  const index = memoryIndex(agent, run_id, asked.tools);
  const bare = { ts: run_id, ...asked, prompt: promptOf(recordsOf(index)) };
  const { items: fittingItems, told } = fitting(agent, bare, items);
  const prefaces = [...index, ...noteOfOmitted(run_id, fittingItems.length - told.length)];
  const left_out = fittingItems.filter((item) => !told.includes(item)).map(({ id }) => id);
  const prompt = promptOf(recordsOf([...prefaces, ...told]));
  const parts = await withImageSizes(attachmentsFolder(deps.journal), partsOf(told));
  const added = estimateTokens([{ role: "user", text: prompt, parts }], sellerOf(state.provider.backend));
  await agent.inbox.editsLast();
  // A reset or a stop came meanwhile, and there is nothing left to answer; or an edit did, and the turn begins with that.
  if (agent.state.turn || !items.every((item) => agent.inbox.isCurrent(item))) return;
  const attachments = refsOf(told);
  const request = { ...bare, prompt, ...(attachments.length > 0 && { attachments }) };
  const turn: AgentTurn = {
    ...turnFor(run_id, fittingItems),
    request,
    is_fitted: true,
    ...(prefaces.length > 0 && { prefaces }),
    ...(left_out.length > 0 && { left_out }),
  };
  const context_tokens = agent.state.context_tokens + added;
  const { task } = agent.state;
  await agent.update({ turn, context_tokens, has_memory_index: true, ...(task && taskAfter(task, "turnBegan")) });
  failpoint("turn-kept");
  await runTurn(agent, turn);
}

/** Keeps a turn that was stopped before it began: it ends like any other that was stopped, without a run. */
export async function keepCancelledTurn(agent: AgentRecord, items: readonly InboxItem[]): Promise<void> {
  const request = { prompt: "" };
  const turn: AgentTurn = { ...turnFor(agent.deps.nextRunId(), items), request, is_unwanted: true, is_unasked: true };
  await agent.update({ turn });
}

export function turnFor(runId: number, items: readonly InboxItem[]): Pick<AgentTurn, "run_id" | "items" | "channel"> {
  const channel = items.findLast((item) => item.channel && !item.silent)?.channel;
  return { run_id: String(runId), items: items.map(({ id }) => id), ...(channel && { channel }) };
}

/** The items that a request has room for. */
function fitting({ deps: { bus } }: AgentRecord, bare: Request, items: readonly InboxItem[]): FittingItems {
  const most = mostMessageBytes(bus) - messageBytes(bare) - noteBytes;
  return itemsThatFit(items, { most, sizeOf: sizeInRequest });
}

/** A file takes its text, and its name once more. */
function sizeInRequest(item: InboxItem): number {
  return messageBytes(`${promptOf(recordsOf([item]))}\n\n`) + messageBytes(refsOf([item]));
}

/** Room for the note of what was left out, and what joins it. */
const noteBytes = 512;

function noteOfOmitted(runId: number, count: number): InboxItem[] {
  if (count === 0) return [];
  const text = `${count} earlier notices are left out here: together they are too long. They stand in history.jsonl.`;
  return [{ id: `left-out-${runId}`, ts: runId, type: "system", origin: "history", text }];
}

/** The index of the memory, which a conversation begins with, for an agent that may read it. */
function memoryIndex({ deps, state }: AgentRecord, runId: number, tools: readonly string[]): InboxItem[] {
  const mayRead = state.task === undefined && tools.includes("memory_list");
  const text = mayRead && !state.has_memory_index ? deps.prompts.memoryIndex() : "";
  return text === "" ? [] : [{ id: `memory-${runId}`, ts: runId, type: "system", origin: "memory", text }];
}

/** Runs a turn that was kept to its end. */
export async function runTurn(agent: AgentRecord, turn: AgentTurn): Promise<void> {
  const { deps } = agent;
  await recordPrompt(agent, turn);
  failpoint("turn-recorded");
  deps.publishEvent(agent.id, "turn_started", { run_id: turn.run_id, items: turn.items });
  const progress = new TurnProgress(agent, turn);
  using _ = cancelWhenUnwanted(agent);
  const last = await followTurn(agent, turn, progress);
  if (last === "again") return;
  await endTurn(agent, turn, last, progress);
}

/** Records what a turn asks. After a crash, what its run has summed up since stands in the archive. */
async function recordPrompt(agent: AgentRecord, turn: AgentTurn): Promise<void> {
  const { history, inbox } = agent;
  if (compactionOf(agent, turn) || !isOfConversation(agent, turn)) return;
  const isLeftOut = ({ id }: InboxItem) => turn.left_out?.includes(id) === true;
  const items = inbox.waiting.filter(({ id }) => turn.items.includes(id));
  const [added, known] = [items.filter(({ id }) => !history.has(id)), items.filter(({ id }) => history.has(id))];
  const records = [
    ...recordsOf(added.filter(isLeftOut)).map((record) => ({ ...record, left_out: true })),
    ...recordsOf(turn.prefaces ?? []),
    ...known.filter((item) => !isLeftOut(item)).flatMap((item) => movedInput(agent, turn, item)),
    ...recordsOf(added.filter((item) => !isLeftOut(item))),
  ];
  await history.append(
    ...renamed(agent, turn),
    ...records.map((record) => ({ ...record, run_id: turn.run_id }) as HistoryRecord),
  );
}

/** Marks an item that stands in the history as an input, too late for its turn's model, as part of this turn's prompt. */
function movedInput({ history }: AgentRecord, { run_id }: AgentTurn, { id }: InboxItem): HistoryRecord[] {
  const isInput = history.records.some((record) => record.type === "user" && record.id === id && record.input);
  if (!isInput) return [];
  const text = systemMessage("history", "What came too late for the turn before is answered in this one.");
  return [{ type: "system", ts: Number(run_id), id: `moved-${run_id}-${id}`, text, left_out: true, moved: id }];
}

/** Marks a prompt that stands in the history under the id of a run that there never was as this turn's. */
function renamed({ history }: AgentRecord, { run_id, items }: AgentTurn): HistoryRecord[] {
  const isOther = (record: HistoryRecord) =>
    record.type === "user" && !record.input && record.run_id !== undefined && record.run_id !== run_id;
  const former = history.records.find((record) => isOther(record) && items.includes(record.id));
  if (former === undefined) return [];
  const text = systemMessage("history", "It was asked again under another id.");
  const marks = { left_out: true, again_of: String(former["run_id"]) };
  return [{ type: "system", ts: Number(run_id), id: `again-${run_id}`, run_id, text, ...marks }];
}

/** Requests the run of a turn, and follows it to its terminal event. A turn whose limits are exhausted isn't run. */
async function followTurn(agent: AgentRecord, turn: AgentTurn, progress: TurnProgress): Promise<AgentEvent | "again"> {
  const { deps } = agent;
  if (turn.is_unasked) return errorEvent(turn, "cancelled", "it was stopped before it began");
  const request = turn.request as Request;
  const exhausted = Object.keys(TreeLimits.shape).find((name) => request[name] === 0);
  if (exhausted !== undefined) return errorEvent(turn, "budget", `${exhausted} is exhausted`);
  return followRun(
    {
      bus: deps.bus,
      files: followedFiles(deps.journal),
      request,
      isUnwanted: () => agent.state.turn?.is_unwanted ?? false,
      onProblem: (error) => deps.log.warn({ agent: agent.id, run: turn.run_id, err: error }, "a turn waits for cortex"),
    },
    (event) => progress.applyEvent(event),
  ).catch((error: unknown) => handleRejection(agent, turn, error));
}

/**
 * Handles a request that can't become a run. An id that is taken is chosen anew, and a turn that an older version has made
 * too large is made anew, of fewer items.
 */
async function handleRejection(agent: AgentRecord, turn: AgentTurn, error: unknown): Promise<AgentEvent | "again"> {
  if (!(error instanceof RejectedError)) throw error;
  if (agent.state.turn?.is_unwanted) return errorEvent(turn, "cancelled", "it was stopped");
  if (error instanceof TooLargeError && !turn.is_fitted) {
    await agent.update({ turn: null, has_memory_index: false });
    return "again";
  }
  if (error instanceof TooLargeError) return errorEvent(turn, "config", `what was said is too long: ${error.message}`);
  if (error.reason === "duplicate_id") {
    const run_id = agent.deps.nextRunId();
    await agent.update({
      turn: { ...turn, ...agent.state.turn, run_id: String(run_id), request: { ...turn.request, ts: run_id } },
    });
    return "again";
  }
  return errorEvent(turn, error.reason === "overloaded" ? "internal" : "config", error.message);
}

/** The terminal event of a turn without a run: its seq is 0, since it stands in no file. */
export const errorEvent = ({ run_id }: Pick<AgentTurn, "run_id">, reason: string, error: string): AgentEvent => ({
  event: "error",
  ts: Date.now(),
  agent_id: run_id,
  seq: 0,
  error,
  reason,
});

async function endTurn(agent: AgentRecord, turn: AgentTurn, last: AgentEvent, progress: TurnProgress): Promise<void> {
  const { deps, inbox, state } = agent;
  const wasStopped = last["reason"] === "cancelled";
  const isLost = last.event === "error" && last["reason"] === "config" && last["detail"] === "source_missing";
  if (isLost && state.last_run !== undefined) return restartConversation(agent, turn);
  if (agent.descriptor.kind === "subagent") await reportTask(agent, turn, last, wasStopped);
  else if (last.event === "error" && !wasStopped) await sendFailureNotice(agent, turn, last);
  const isTextSent = await sendTextAsReply(agent, turn, last, progress.replies);
  const saidNothing = last.event === "finish" && turn.channel !== undefined && progress.replies.isSilent && !isTextSent;
  if (saidNothing) await sendSilenceNotice(agent, turn);
  failpoint("turn-reported");
  await inbox.settleItems([...turn.items, ...progress.steered]);
  failpoint("items-settled");
  const provider = { ...state.provider, ...progress.provider };
  const isOther = provider.model !== state.provider.model || provider.backend !== state.provider.backend;
  const known = isOther ? await windowOf(provider.backend ?? "", provider.model ?? "") : state.context_window;
  const window = progress.window ?? known;
  const price = deps.settings().budgets?.unknown_price_usd ?? defaultUnknownPriceUsd;
  const isOn = isOfConversation(agent, turn);
  if (isOn && last.seq === 0) await recordUnheard(agent, turn, last);
  const { task } = agent.state;
  const answered = [...turn.items, ...progress.steered];
  const messages = messagesOfPeople(agent, answered) + progress.replies.replies + (isTextSent ? 1 : 0);
  await agent.update({
    turn: null,
    ...(isOn && { accounts: withUsage(agent.state.accounts, progress.spent, messages), ...firstTitle(agent) }),
    // A turn without a run leaves nothing to continue from.
    last_run: !isOn ? undefined : last.seq === 0 ? agent.state.last_run : turn.run_id,
    provider,
    context_window: window,
    // A conversation whose first turn was refused has given its model nothing.
    ...(last.seq === 0 && agent.state.last_run === undefined && { has_memory_index: false }),
    // Where the model doesn't count tokens, the estimate does.
    ...(isOn && { context_tokens: progress.tokens ?? agent.state.context_tokens + progress.estimate }),
    spent: withTurn(agent.state, progress.spent, price, deps.timeZone),
    ...(task?.limits && { task: { ...task, limits: progress.usage.leftOf(task.limits, progress.spent, price) } }),
  });
  failpoint("turn-ended");
  deps.publishEvent(agent.id, "turn_ended", {
    run_id: turn.run_id,
    items: [...turn.items, ...progress.steered],
    ok: last.event === "finish",
    replies: progress.replies.replies + (isTextSent ? 1 : 0),
    ...(saidNothing && { said_nothing: true }),
    ...(last.event === "error" && { error: textField(last, "error"), reason: last["reason"] }),
  });
}

/** Records that a turn had no run: its model has heard nothing of it. */
async function recordUnheard(
  { history }: AgentRecord,
  { run_id }: AgentTurn,
  { ts, error }: AgentEvent,
): Promise<void> {
  const text = systemMessage("history", `This was given to nobody: ${String(error)}`);
  const marks = { left_out: true, unheard: true };
  await history.append({ type: "system", ts, id: `unheard-${run_id}`, run_id, text, ...marks });
}

/** Begins the conversation anew, since the run to continue from is gone, and tells the model. */
async function restartConversation(agent: AgentRecord, turn: AgentTurn): Promise<void> {
  const { deps } = agent;
  deps.log.warn({ agent: agent.id, run: agent.state.last_run }, "the former run of a conversation is gone");
  const note = systemMessage(
    "history",
    "The conversation before this can't be read any more, except for what your memory holds.",
  );
  const { continue_from: _, agent_history: __, ...request } = turn.request;
  const run_id = deps.nextRunId();
  const prompt = `${note}\n\n${turn.request.prompt}`;
  await agent.update({
    last_run: undefined,
    turn: { ...turn, ...agent.state.turn, run_id: String(run_id), request: { ...request, ts: run_id, prompt } },
  });
}
