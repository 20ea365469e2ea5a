/** The records of a long-lived agent's history become the conversation that its next turn goes on from. Pure. */
import type { HistoryRecord } from "../protocol/agents/agent-files.ts";
import { filePartsIn, maxAttachments } from "../protocol/files/attachment.ts";
import type { Message } from "../protocol/runs/run-config.ts";
import { repair } from "./repair.ts";
import { Transcript } from "./transcript.ts";

type Told = Extract<HistoryRecord, { type: "user" | "system" }>;
type Said = Extract<HistoryRecord, { type: "assistant" | "reasoning" | "tool_call" | "tool_result" }>;

/**
 * Rebuilds the messages of a conversation.
 * @param records from the last one with which a conversation begins on, oldest first
 * @param except the run that goes on from it: what it says, and what it is asked, isn't part of that
 */
export function fromHistory(records: readonly HistoryRecord[], except?: string): Message[] {
  const rebuilt = new Rebuilt(movedInputs(records), except);
  for (const record of records) rebuilt.add(record);
  return rebuilt.messages();
}

type MovedInput = { input: Told; marker: Told };

/** The inputs that are part of a later run's prompt, by their ids. Of several markers the last one holds. */
function movedInputs(records: readonly HistoryRecord[]): Map<string, MovedInput> {
  const inputs = new Map<string, Told>();
  const moved = new Map<string, MovedInput>();
  for (const record of records) {
    if (record.type !== "user" && record.type !== "system") continue;
    if (record.input) inputs.set(record.id, record);
    const input = record.moved === undefined ? undefined : inputs.get(record.moved);
    if (input) moved.set(input.id, { input, marker: record });
  }
  return moved;
}

/** A conversation that is being rebuilt. Each run is a transcript of its own, as where the files of a chain of runs are read. */
class Rebuilt {
  readonly #except: string | undefined;
  readonly #moved: ReadonlyMap<string, MovedInput>;
  #former: Message[] = [];
  #transcript = new Transcript();
  #run: string | undefined;
  #step: number | undefined;
  #attempt: number | undefined;
  /** Calls whose results have yet to come. */
  readonly #open = new Set<string>();
  /** The prompt's records so far. */
  #told: Told[] = [];
  /** Inputs that came behind the last record of what was said. */
  #inputs: Told[] = [];

  constructor(moved: ReadonlyMap<string, MovedInput>, except: string | undefined) {
    this.#moved = moved;
    this.#except = except;
  }

  add(record: HistoryRecord): void {
    if (record.type === "user" || record.type === "system") return this.#tell(record);
    if (record.type === "start" || record.type === "reset") return this.#beginAnew();
    if (record.type === "compact") {
      this.#beginAnew();
      this.#goTo(record.run_id, record);
      return this.#transcript.compacted(summaryOf(record), record.kept ?? [], 0);
    }
    this.#askPrompt(record.run_id);
    if (record.run_id === this.#except) return;
    this.#goTo(record.run_id, record);
    const meanwhile = record.type === "assistant" ? (record.inputs ?? 0) : 0;
    this.#addInputs(this.#inputs.length - meanwhile);
    this.#say(record);
    this.#addInputs();
  }

  messages(): Message[] {
    this.#askPrompt();
    this.#addInputs();
    return repair([...this.#former, ...repair(this.#transcript.messages())]);
  }

  #say(record: Said): void {
    const transcript = this.#transcript;
    if (record.type === "assistant") transcript.text(record.text);
    else if (record.type === "reasoning")
      transcript.thinking(record.summary, record.model, record.opaque, record.provider);
    else if (record.type === "tool_call") {
      this.#open.add(record.call_id);
      transcript.toolStart(record.tool, record["args"], record.call_id);
    } else {
      this.#open.delete(record.call_id);
      const parts = filePartsIn(record["parts"]);
      const isError = record["is_error"] === true;
      transcript.toolEnd(record.call_id, record["result"], isError, parts.length > 0 ? parts : undefined);
    }
  }

  #tell(record: Told): void {
    if (record.unheard && record.run_id !== undefined)
      this.#told = this.#told.filter(({ run_id }) => run_id !== record.run_id);
    if (record.again_of !== undefined)
      this.#told = this.#told.map((one) => (one.run_id === record.again_of ? { ...one, run_id: record.run_id } : one));
    const moved = this.#moved.get(record.moved ?? "");
    if (moved?.marker === record) return this.#askToo({ ...moved.input, run_id: record.run_id });
    if (record.left_out) return;
    // Former versions didn't mark inputs: one that came between a call and its result surely is.
    if (record.input || (record.run_id === undefined && this.#open.size > 0)) return this.#input(record);
    this.#askToo(record);
  }

  #askToo(record: Told): void {
    const run = this.#told.findLast(({ run_id }) => run_id !== undefined)?.run_id;
    if (run !== undefined && run !== record.run_id) this.#askPrompt(run);
    this.#told.push(record);
  }

  #input(record: Told): void {
    const { run_id = this.#run } = record;
    this.#askPrompt(run_id);
    if (run_id !== undefined && run_id === this.#except) return;
    this.#goTo(run_id, record);
    this.#inputs.push(record);
  }

  /** Adds the oldest of them: those that came while a message was being said stand behind it. */
  #addInputs(count = this.#inputs.length): void {
    for (const { id, text, parts } of this.#inputs.splice(0, Math.max(0, count)))
      if (!this.#moved.has(id)) this.#transcript.input(text, filePartsIn(parts));
  }

  /**
   * Its records were said in one message.
   * @param run the one that answers; absent: none has yet
   */
  #askPrompt(run?: string): void {
    if (this.#told.length === 0) return;
    const told = this.#told;
    this.#told = [];
    const asked = told.findLast(({ run_id }) => run_id !== undefined)?.run_id ?? run;
    // What nobody was asked yet waits for its run.
    if (asked === undefined || asked === this.#except) return;
    this.#beginRun(asked);
    const parts = told.flatMap((record) => filePartsIn(record["parts"])).slice(-maxAttachments);
    this.#transcript.prompt(told.map(({ text }) => text).join("\n\n"), undefined, undefined, parts);
  }

  /** The next thing was said here: at this attempt of a run, after so many model calls. */
  #goTo(run: string | undefined, { attempt, step }: { attempt?: number | undefined; step?: number | undefined }): void {
    if (run !== this.#run) this.#beginRun(run);
    if (attempt !== this.#attempt) {
      this.#addInputs();
      this.#attempt = attempt;
      this.#transcript.begin();
    }
    if (step === undefined || step === this.#step) return;
    this.#addInputs();
    this.#step = step;
    this.#transcript.modelCalled();
  }

  #beginRun(run: string | undefined): void {
    this.#addInputs();
    this.#former.push(...repair(this.#transcript.messages()));
    this.#transcript = new Transcript();
    this.#open.clear();
    this.#run = run;
    this.#step = this.#attempt = undefined;
  }

  #beginAnew(): void {
    this.#told = [];
    this.#beginRun(undefined);
    this.#former = [];
  }
}

/** The model finds there what the summary leaves out. */
const summaryOf = ({ summary, archive }: Extract<HistoryRecord, { type: "compact" }>) =>
  `${summary}\n\nAll of it: session_archive_read("${archive}")`;
