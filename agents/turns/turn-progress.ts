/** Progress of a turn, by its run's events: recorded in the history, counted, and searched for inputs that reached the model. */
import { estimateTokens } from "../../conversation/size/tokens.ts";
import { withImageSizes } from "../../files/attachment-sizes.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { HistoryRecord, AgentTurn } from "../../protocol/agents/agent-files.ts";
import { type FilePart, filePartsIn } from "../../protocol/files/attachment.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { addedSpent, nothingSpent, spentBy, tokensIn } from "../../protocol/runs/spent.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { sellerOf } from "../../conversation/size/model-window.ts";
import { compactionOf, recordCompaction } from "./record-compaction.ts";
import { RecordedEvents } from "./record-events.ts";
import { ReplyCounter } from "../replies/reply-counter.ts";
import { Steering } from "./steering.ts";
import { RunUsage } from "../tasks/task-limits.ts";

export class TurnProgress {
  readonly #agent: AgentRecord;
  readonly #turn: AgentTurn;
  readonly #events = new RecordedEvents();
  /** The records of this attempt's inputs, heard by the model or not. */
  #inputs: HistoryRecord[] = [];
  /** Tokens of the conversation, as the model has counted them at its last call; null where it doesn't. */
  tokens: number | null = null;
  /** The context window of the model, where the run tells it. */
  window: number | undefined;
  /** Estimated tokens of what the turn has added to the conversation. */
  estimate = 0;
  spent = nothingSpent;
  readonly usage = new RunUsage();
  provider: { backend?: string; model?: string } = {};
  readonly replies = new ReplyCounter();
  readonly #steering = new Steering();
  readonly #matched = new Set<string>();

  constructor(agent: AgentRecord, turn: AgentTurn) {
    this.#agent = agent;
    this.#turn = turn;
  }

  async applyEvent(event: AgentEvent): Promise<void> {
    const input = event.event === "input" ? this.#recordOfInput(event) : null;
    const records = input ? [input] : [];
    records.push(...this.#events.of(event));
    this.#steering.applyEvent(event, input?.id);
    if (event.event === "start") this.provider = providerOf(event);
    if (event.event === "start") this.#inputs = [];
    if (input) this.#inputs.push(input);
    if (event.event === "usage") this.#countTokens(event);
    this.spent = addedSpent(this.spent, spentBy(event, this.spent) ?? nothingSpent);
    this.usage.applyEvent(event);
    this.replies.countEvent(event);
    // The conversation was reset meanwhile: this turn isn't part of it.
    if (!isOfConversation(this.#agent, this.#turn)) return;
    // After a crash: what stands before the summary is in the archive.
    const summed = compactionOf(this.#agent, this.#turn)?.seq ?? 0;
    if (event.seq > summed) for (const record of records) await this.#record(event, record);
    if (event.event === "compacted") await this.#compact(event, event.seq >= summed);
  }

  /** Puts what the run has summed up into the archive; inputs that its model hasn't heard yet go on. */
  async #compact(event: AgentEvent, isLatest: boolean): Promise<void> {
    const heard = typeof event["inputs"] === "number" ? event["inputs"] : 0;
    [this.tokens, this.estimate] = [null, 0];
    if (isLatest) await recordCompaction(this.#agent, event, this.#events.place, this.#inputs.slice(heard));
  }

  async #record(event: AgentEvent, record: HistoryRecord): Promise<void> {
    const parts = await this.#sizedParts(event);
    const seller = sellerOf(this.provider.backend);
    this.estimate += estimateTokens([{ role: "assistant", result: { ...record, ...(parts && { parts }) } }], seller);
    await this.#agent.history.append(record);
    failpoint("turn-word-recorded");
  }

  /** Ids of the messages that were steered into the turn and have reached its model. */
  get steered(): string[] {
    return this.#steering.delivered.filter((id) => this.#matched.has(id));
  }

  /** Records an input, which bears the id of the inbox item that was steered into the turn. */
  #recordOfInput(event: AgentEvent): HistoryRecord {
    const [id, text] = [textField(event, "id"), textField(event, "text")];
    const { inbox, history } = this.#agent;
    const isItem =
      !this.#turn.items.includes(id) && !this.#matched.has(id) && inbox.waiting.some((one) => one.id === id);
    if (isItem) this.#matched.add(id);
    // After a crash it may be settled, and stand there.
    const isKnown = history.records.some(
      (record) => record.type === "user" && record.id === id && record.ts === event.ts,
    );
    const parts = filePartsIn(event["parts"]);
    return {
      type: "user",
      ts: event.ts,
      id: isItem || isKnown ? id : `${this.#turn.run_id}:${event.seq}`,
      run_id: this.#turn.run_id,
      ...this.#events.place,
      input: true,
      text,
      ...(parts.length > 0 && { parts }),
    };
  }

  /** The files of an event, images with their sizes; undefined where there are none. */
  async #sizedParts({ parts }: AgentEvent): Promise<FilePart[] | undefined> {
    const found = filePartsIn(parts);
    if (found.length === 0) return undefined;
    return withImageSizes(attachmentsFolder(this.#agent.deps.journal), found);
  }

  /** A call that didn't come to its end, or that summed up the conversation, says nothing of how large it is. */
  #countTokens(event: AgentEvent): void {
    const { purpose, finish_reason: reason, context_window: window } = event;
    if (typeof window === "number" && window > 0) this.window = window;
    if (purpose !== undefined || reason === "cancelled" || reason === "error") return;
    this.tokens = (tokensIn(event, "input_tokens") ?? 0) + (tokensIn(event, "output_tokens") ?? 0) || null;
  }
}

function providerOf(event: AgentEvent): { backend?: string; model?: string } {
  const { backend, model } = event;
  return {
    ...(typeof backend === "string" && { backend }),
    ...(typeof model === "string" && { model }),
  };
}

/** Whether a turn belongs to the present conversation: that may have been reset meanwhile. */
export function isOfConversation(agent: AgentRecord, turn: AgentTurn): boolean {
  const [first] = agent.history.records;
  if (first === undefined || first.type === "start" || first.ts < Number(turn.run_id)) return true;
  return compactionOf(agent, turn) !== null;
}
