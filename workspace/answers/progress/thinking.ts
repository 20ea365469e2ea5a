/**
 * The notice that an agent is thinking, on the live feed; and until when it waits for a rate limit, in its task, too.
 */
import type { TaskTable } from "../../database/tables/tables.ts";
import { timeOf } from "../../records/fields.ts";
import { setTask } from "../../tasks/task-rows.ts";
import type { AnswerDeps } from "../deps/answer-deps.ts";

export class Thinking implements Disposable {
  readonly #deps: AnswerDeps;
  readonly #task: TaskTable;
  #isOn = true;
  #waitsUntil: number | null;

  constructor(deps: AnswerDeps, task: TaskTable) {
    this.#deps = deps;
    this.#task = task;
    this.#waitsUntil = task.waits_until;
    this.#send();
  }

  /** Says until when it waits; null: it goes on. */
  async waitUntil(until: number | null): Promise<void> {
    if (until === this.#waitsUntil) return;
    this.#waitsUntil = until;
    if (this.#isOn) this.#send();
    const { id, workspace_id } = this.#task;
    await this.#deps.store.changes.make(workspace_id, async (change) => {
      const task = await change.tables.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst();
      if (task?.status === "running") await setTask(change, task, { waits_until: until });
    });
  }

  end(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#send();
  }

  [Symbol.dispose](): void {
    this.end();
  }

  #send(): void {
    const { id: task_id, agent_id, thread_id, fork_id, workspace_id } = this.#task;
    const waits = this.#isOn && this.#waitsUntil !== null ? { waits_until: timeOf(this.#waitsUntil) } : {};
    const data = { task_id, agent_id, thread_id, fork_id, is_thinking: this.#isOn, ...waits };
    this.#deps.feed.send(workspace_id, { event: "presence.thinking", data });
  }
}
