/** Events of a turn's run as they are heard: recorded in the history, counted, and looked through for what was said into it. */
import { estimateTokens } from "../../conversation/tokens.ts";
import { reached } from "../../proc/programs/durable-point.ts";
import type { HistoryRecord, Turn } from "../../protocol/agents/agent-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { added, nothingSpent, spentBy, tokensIn } from "../../protocol/runs/spent.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import { promptOf, recordsOf } from "../inbox/format-messages.ts";
import { recordOfEvent } from "./record-events.ts";
import { Said } from "../replies/reply-counter.ts";
import { Steered } from "./steering.ts";
import { RunUse } from "../tasks/task-limits.ts";

/** What a turn's run has said so far. */
export class Heard {
  readonly #agent: AgentRecord;
  readonly #turn: Turn;
  #lastText: string | null = null;
  /** As the model has counted them at its last call; null where it doesn't. */
  tokens: number | null = null;
  /** About how many what it said has. */
  estimate = 0;
  spent = nothingSpent;
  readonly use = new RunUse();
  provider: { backend?: string; model?: string } = {};
  readonly said = new Said();
  readonly #steered = new Steered();
  readonly #matched = new Set<string>();

  constructor(agent: AgentRecord, turn: Turn) {
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
    this.said.take(event);
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

/** Whether the conversation to which the turn belongs still goes on: it may have been reset meanwhile. */
export function isStillOn({ history }: AgentRecord, { run_id }: Turn): boolean {
  const [first] = history.records;
  return first === undefined || first.type === "start" || first.ts < Number(run_id);
}
