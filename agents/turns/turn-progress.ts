/** Progress of a turn, by its run's events: recorded in the history, counted, and searched for inputs that reached the model. */
import { estimateTokens } from "../../conversation/tokens.ts";
import { withImageSizes } from "../../files/attachment-sizes.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { HistoryRecord, AgentTurn } from "../../protocol/agents/agent-files.ts";
import { type FilePart, filePartsIn } from "../../protocol/files/attachment.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { addedSpent, nothingSpent, spentBy, tokensIn } from "../../protocol/runs/spent.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { UnfinishedText } from "../../protocol/runs/unfinished-text.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { sellerOf } from "../../conversation/model-window.ts";
import { recordOfEvent, recordOfUnfinished } from "./record-events.ts";
import { ReplyCounter } from "../replies/reply-counter.ts";
import { Steering } from "./steering.ts";
import { RunUsage } from "../tasks/task-limits.ts";

export class TurnProgress {
  readonly #agent: AgentRecord;
  readonly #turn: AgentTurn;
  #lastText: string | null = null;
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
  readonly #unfinished = new UnfinishedText();
  readonly #matched = new Set<string>();

  constructor(agent: AgentRecord, turn: AgentTurn) {
    this.#agent = agent;
    this.#turn = turn;
  }

  async applyEvent(event: AgentEvent): Promise<void> {
    const record = event.event === "input" ? this.#recordOfInput(event) : recordOfEvent(event, this.#lastText);
    this.#steering.applyEvent(event, record?.id);
    if (event.event === "text" && record) this.#lastText = textField(event, "text");
    if (event.event === "start") this.provider = providerOf(event);
    if (event.event === "usage") this.#countTokens(event);
    this.spent = addedSpent(this.spent, spentBy(event, this.spent) ?? nothingSpent);
    this.usage.applyEvent(event);
    this.replies.countEvent(event);
    const unfinished = this.#unfinished.apply(event);
    // The conversation was reset meanwhile: this turn isn't part of it.
    if (!isOfConversation(this.#agent, this.#turn)) return;
    if (unfinished !== "") await this.#record(event, recordOfUnfinished(event, unfinished));
    if (record) await this.#record(event, record);
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
    return { type: "user", ts: event.ts, id: isItem || isKnown ? id : `${this.#turn.run_id}:${event.seq}`, text };
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
export function isOfConversation({ history }: AgentRecord, { run_id }: AgentTurn): boolean {
  const [first] = history.records;
  return first === undefined || first.type === "start" || first.ts < Number(run_id);
}
