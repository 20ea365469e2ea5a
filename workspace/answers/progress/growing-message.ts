/** The message of an answer while it comes: made empty at its first piece, then growing on the live feed alone. */
import { SerialQueue } from "../../../files/locks/serial-queue.ts";
import { failpoint } from "../../../proc/programs/failpoint.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import type { AgentConfig } from "../../records/agent.ts";
import { setMessage } from "../../threads/messages.ts";
import type { AnswerDeps } from "../deps/answer-deps.ts";
import { addAnswer } from "../ending/end-answer.ts";

export class GrowingMessage {
  readonly #deps: AnswerDeps;
  readonly #task: TaskTable;
  readonly #config: AgentConfig;
  readonly #queue = new SerialQueue();
  readonly #onBegin: () => void;
  #id: string | null;
  /** The text that has gone out of it, and when its first piece was said. */
  #text = "";
  #since = 0;
  /** The most that was ever said of it. */
  #longest = "";

  /** @param onBegin called when the message is there */
  constructor(deps: AnswerDeps, task: TaskTable, config: AgentConfig, onBegin: () => void) {
    this.#deps = deps;
    this.#task = task;
    this.#config = config;
    this.#id = task.output_message_id;
    this.#onBegin = onBegin;
  }

  /** The most that has been heard of the answer. */
  get said(): string {
    return this.#longest;
  }

  grow({ text, ts }: { text: string; ts: number }): void {
    this.#then(() => this.#grow(text, ts));
  }

  /**
   * Drops the text so far: the model begins again.
   * @param ts when it did. After a restart, pieces of now are heard before the run's file was read: what that says of earlier times
   *   drops none of them.
   */
  begin(ts: number): void {
    this.#then(async () => {
      if (this.#text === "" || this.#id === null || ts <= this.#since) return;
      const id = this.#id;
      this.#text = "";
      await this.#deps.store.changes.make(this.#task.workspace_id, (change) => setMessage(change, id, { text: "" }));
    });
  }

  /** Resolves when all that was heard has gone out. */
  settled(): Promise<void> {
    return this.#queue.run(() => {});
  }

  #then(work: () => Promise<void>): void {
    const { signal, log } = this.#deps;
    this.#queue
      .run(async () => void (signal.aborted || (await work())))
      .catch((error: unknown) => log.error({ err: error, task: this.#task.id }, "a piece of an answer is lost"));
  }

  async #grow(text: string, ts: number): Promise<void> {
    this.#id ??= await this.#make();
    if (this.#id === null) return;
    if (this.#text === "") this.#since = ts;
    this.#text += text;
    if (this.#text.length > this.#longest.length) this.#longest = this.#text;
    const { id: task_id, thread_id, fork_id, workspace_id } = this.#task;
    const data = { message_id: this.#id, task_id, thread_id, fork_id, text };
    this.#deps.feed.send(workspace_id, { event: "message.delta", data });
  }

  /** Null: the task isn't running any more. */
  async #make(): Promise<string | null> {
    const made = await this.#deps.store.changes.make(this.#task.workspace_id, async (change) => {
      const task = await change.tables
        .selectFrom("tasks")
        .select(["status", "output_message_id"])
        .where("id", "=", this.#task.id)
        .executeTakeFirst();
      if (task?.status !== "running") return null;
      if (task.output_message_id !== null) return task.output_message_id;
      const { id } = await addAnswer(change, this.#task, this.#config, "");
      await change.tables.updateTable("tasks").set({ output_message_id: id }).where("id", "=", this.#task.id).execute();
      return id;
    });
    failpoint("answer-begun");
    if (made !== null) this.#onBegin();
    return made;
  }
}
