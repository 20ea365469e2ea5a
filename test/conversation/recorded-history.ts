/** The history of an agent, as its worker makes it of the events of its runs, without files. */
import { RecordedEvents } from "../../agents/turns/record-events.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Message } from "../../protocol/runs/run-config.ts";

export class RecordedHistory {
  /** From the newest summary on. */
  records: HistoryRecord[] = [{ type: "start", ts: 1, id: "start" }];
  /** How often it has begun with a summary. */
  summaries = 0;
  #run = new RecordedEvents();
  /** The inputs of the present attempt. */
  #inputs: HistoryRecord[] = [];

  readonly #archive: string;

  /** @param archive where what stands before a summary is said to be */
  constructor(archive: string) {
    this.#archive = archive;
  }

  /** A run's first event is its request. */
  add(event: AgentEvent): void {
    const { ts, agent_id: run_id, seq, parts, text } = event;
    const id = `${run_id}:${seq}`;
    const files = parts === undefined ? {} : { parts };
    if (event.event === "request") {
      this.#run = new RecordedEvents();
      this.records.push({ type: "user", ts, id, run_id, text: String(event["prompt"]), ...files });
    }
    if (event.event === "start") this.#inputs = [];
    if (event.event === "input") {
      const input = { type: "user", ts, id, run_id, ...this.#run.place, input: true } as const;
      const record = { ...input, text: String(text), ...files };
      this.#inputs.push(record);
      this.records.push(record);
    }
    this.records.push(...this.#run.of(event));
    if (event.event !== "compacted") return;
    const { summary, kept, inputs: heard = 0 } = event;
    const told = { archive: this.#archive, summary: String(summary), kept: kept as Message[] };
    this.records = [
      { type: "compact", ts, id, run_id, ...this.#run.place, ...told },
      ...this.#inputs.slice(Number(heard)),
    ];
    this.summaries++;
  }
}
