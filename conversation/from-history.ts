/** The records of a long-lived agent's history become the conversation that its next turn goes on from. Pure. */
import type { HistoryRecord } from "../protocol/agents/agent-files.ts";
import { filePartsIn } from "../protocol/files/attachment.ts";
import type { Message } from "../protocol/runs/run-config.ts";
import { repair } from "./repair.ts";
import { Transcript } from "./transcript.ts";

type Told = Extract<HistoryRecord, { type: "user" | "system" }>;

/** The records from the last one with which a conversation begins, oldest first. */
export function fromHistory(records: readonly HistoryRecord[]): Message[] {
  const rebuilt = new Rebuilt();
  for (const record of records) rebuilt.add(record);
  return rebuilt.messages();
}

/** Its runs are transcripts of their own, as they are where the files of a chain of runs are read. */
class Rebuilt {
  #former: Message[] = [];
  #transcript = new Transcript();
  #run: string | undefined;
  #step: number | undefined;
  #attempt: number | undefined;
  /** Calls whose results have yet to come. */
  readonly #open = new Set<string>();
  /** The prompt's records so far. */
  #told: Told[] = [];

  add(record: HistoryRecord): void {
    if (record.type === "user" || record.type === "system") return this.#tell(record);
    this.#askPrompt();
    if (record.type === "start" || record.type === "reset") return this.#beginAnew();
    if (record.type === "compact") {
      this.#beginAnew();
      this.#run = record.run_id;
      return this.#transcript.compacted(summaryOf(record), record.kept ?? [], 0);
    }
    if (this.#run !== record.run_id && this.#open.size === 0) this.#beginRun(record.run_id);
    if (record.attempt !== this.#attempt) {
      this.#attempt = record.attempt;
      this.#transcript.begin();
    }
    if (record.step !== undefined && record.step !== this.#step) {
      this.#step = record.step;
      this.#transcript.modelCalled();
    }
    switch (record.type) {
      case "assistant":
        return this.#transcript.text(record.text);
      case "reasoning":
        return this.#transcript.thinking(record.summary, record.model, record.opaque, record.provider);
      case "tool_call":
        this.#open.add(record.call_id);
        return this.#transcript.toolStart(record.tool, record["args"], record.call_id);
      case "tool_result": {
        this.#open.delete(record.call_id);
        const parts = filePartsIn(record["parts"]);
        const isError = record["is_error"] === true;
        return this.#transcript.toolEnd(
          record.call_id,
          record["result"],
          isError,
          parts.length > 0 ? parts : undefined,
        );
      }
    }
  }

  messages(): Message[] {
    this.#askPrompt();
    return repair([...this.#former, ...repair(this.#transcript.messages())]);
  }

  #tell(record: Told): void {
    if (record.left_out === true) return;
    // Former versions didn't mark inputs: one that came between a call and its result surely is.
    if (record.input === true || (record.run_id === undefined && this.#open.size > 0)) {
      this.#askPrompt();
      return this.#transcript.input(record.text, filePartsIn(record["parts"]));
    }
    const run = this.#told.findLast(({ run_id }) => run_id !== undefined)?.run_id;
    if (run !== undefined && run !== record.run_id) this.#askPrompt();
    this.#told.push(record);
  }

  /** Its records were said in one message. */
  #askPrompt(): void {
    if (this.#told.length === 0) return;
    const told = this.#told;
    this.#told = [];
    this.#beginRun(told.findLast(({ run_id }) => run_id !== undefined)?.run_id);
    const parts = told.flatMap((record) => filePartsIn(record["parts"]));
    this.#transcript.prompt(told.map(({ text }) => text).join("\n\n"), undefined, undefined, parts);
  }

  #beginRun(run: string | undefined): void {
    this.#former.push(...repair(this.#transcript.messages()));
    this.#transcript = new Transcript();
    this.#open.clear();
    this.#run = run;
    this.#step = this.#attempt = undefined;
  }

  #beginAnew(): void {
    this.#beginRun(undefined);
    this.#former = [];
  }
}

/** The model finds there what the summary leaves out. */
const summaryOf = ({ summary, archive }: Extract<HistoryRecord, { type: "compact" }>) =>
  `${summary}\n\nAll of it: session_archive_read("${archive}")`;
