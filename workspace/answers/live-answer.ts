/** A task at work: its run is followed to the end, and again with less context where that was too long. */
import { RejectedError } from "../../bus/runs/client.ts";
import { publishCancel } from "../../bus/runs/control.ts";
import { followRun } from "../../bus/runs/follow-run.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { AnswerSettings } from "../../protocol/settings/workspace-settings.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { noteQuestion } from "../approvals/run-questions.ts";
import { configOfVersion } from "../agents/versions.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import type { AgentConfig } from "../records/agent.ts";
import { AnswerClock } from "./progress/answer-clock.ts";
import type { AnswerDeps } from "./deps/answer-deps.ts";
import { AnswerProgress } from "./progress/answer-progress.ts";
import { beginAnswer, giveOtherId } from "./beginning/begin-answer.ts";
import { afterRun } from "./after-run.ts";
import { endCancelled } from "./ending/end-answer.ts";
import { GrowingMessage } from "./progress/growing-message.ts";
import { PreparedContext } from "./beginning/prepared-context.ts";
import { outcomeOf } from "./outcome/run-outcome.ts";
import { taskKinds } from "./ending/task-kinds.ts";
import { Thinking } from "./progress/thinking.ts";

/** Cortex may be away when it is told to end a run: it is told until it has. In ms. */
const cancelAgainMs = 1000;
/** Milliseconds after which the answer's time is looked at again. */
const lookMs = 200;

export type TaskAtWork = Pick<TaskTable, "id" | "workspace_id" | "thread_id">;

export class LiveAnswer {
  readonly of: TaskAtWork;
  readonly #deps: AnswerDeps;
  readonly #clock: AnswerClock;
  /** Nobody wants it any more. */
  #isUnwanted = false;

  constructor(deps: AnswerDeps, task: TaskAtWork, { answer_timeout_seconds }: AnswerSettings) {
    this.of = task;
    this.#deps = deps;
    this.#clock = new AnswerClock(answer_timeout_seconds * 1000);
  }

  /** Whether its run waits for a person. */
  get isForPerson(): boolean {
    return this.#clock.isForPerson;
  }

  /** Ends its run. What has been said of it stays. */
  cancel(): void {
    this.#isUnwanted = true;
  }

  /** Resolves when the task has ended, or can't begin yet. */
  async run(): Promise<"ended" | "waits"> {
    const prepared = this.#prepared();
    const begun = await prepared.with(() => beginAnswer(this.#deps, this.of, prepared));
    if (begun === "waits") return begun;
    let task = begun ?? (await this.#change(async (_, open) => open));
    if (task?.status === "cancelled") this.#isUnwanted = true;
    if (task?.run_id === null) return this.#closeUnbegun();
    while (task) task = await this.#runOnce(task);
    return "ended";
  }

  /** Closes a task that was cancelled before it began. */
  async #closeUnbegun(): Promise<"ended"> {
    await this.#change(endCancelled);
    return "ended";
  }

  /** Follows a run to its end. Returns the task as it goes on with another run, or null. */
  async #runOnce(task: TaskTable): Promise<TaskTable | null> {
    const deps = this.#deps;
    failpoint("task-begun");
    const config = await configOfVersion(deps.store.database, task.agent_id, task.agent_version);
    using thinking = new Thinking(deps, task);
    const message = new GrowingMessage(deps, task, config, () => thinking.end());
    const progress = new AnswerProgress();
    using _ = this.#watch(task, thinking);
    const last = await this.#follow(task, config, progress, message).catch((error: unknown) => {
      if (!(error instanceof RejectedError)) throw error;
      return error;
    });
    deps.signal.throwIfAborted();
    await message.settled();
    if (last instanceof RejectedError && last.reason === "duplicate_id" && !this.#isUnwanted)
      return this.#change(giveOtherId);
    const terminal = last instanceof RejectedError ? refusalOf(last) : last;
    const said = longer(progress.said, message.said);
    const outcome = outcomeOf(terminal, said, this.#clock.isOver(terminal.ts));
    this.#clock.pause(terminal.ts);
    const prepared = this.#prepared();
    const end = { outcome, said, used: progress.used };
    return prepared.with(() => this.#change((change, now) => afterRun(deps, change, now, config, end, prepared)));
  }

  #prepared(): PreparedContext {
    return new PreparedContext(this.#deps, this.of.workspace_id, () => this.#isUnwanted);
  }

  #follow(
    task: TaskTable,
    config: AgentConfig,
    progress: AnswerProgress,
    message: GrowingMessage,
  ): Promise<AgentEvent> {
    const { bus, files, log } = this.#deps;
    const { isMessage } = taskKinds[task.task_type];
    const onEvent = async (event: AgentEvent) => {
      this.#clock.apply(event);
      progress.apply(event);
      await noteQuestion(this.#deps.store, task, event);
      if (event.event === "retry" || event.event === "start") message.begin(event.ts);
    };
    const run = {
      bus,
      files,
      request: JSON.parse(task.request_json ?? "") as Request,
      isUnwanted: () => this.#isUnwanted,
      onProblem: (error: unknown) => log.warn({ err: error, task: task.id, agent: config.name }, "an answer waits"),
      onPiece: (event: AgentEvent) => {
        if (event.event === "text_delta" && isMessage && !this.#isUnwanted)
          message.grow({ text: textField(event, "text"), ts: event.ts });
      },
    };
    return followRun(run, onEvent);
  }

  /** Looks at the clock: says for what the answer waits, and cancels the run when its time is over or nobody wants it. */
  #watch({ id, run_id }: TaskTable, thinking: Thinking): Disposable {
    const { bus, log } = this.#deps;
    let told = -cancelAgainMs;
    const look = () => {
      const now = Date.now();
      thinking
        .waitUntil(this.#clock.waitsUntil(now))
        .catch((error: unknown) => log.error({ err: error, task: id }, "a wait can't be shown"));
      const isTold = performance.now() - told < cancelAgainMs;
      if (run_id === null || isTold || !bus.isConnected || !(this.#isUnwanted || this.#clock.isOver(now))) return;
      told = performance.now();
      publishCancel(bus, run_id);
    };
    look();
    const timer = setInterval(look, lookMs);
    return { [Symbol.dispose]: () => clearInterval(timer) };
  }

  /** A change of the task as it is now. One that is gone, or has ended, isn't changed. */
  #change<T>(work: (change: WorkspaceChange, task: TaskTable) => Promise<T>): Promise<T | null> {
    const { store, signal } = this.#deps;
    signal.throwIfAborted();
    const { id, workspace_id } = this.of;
    return store.changes.make(workspace_id, async (change) => {
      const task = await change.tables.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst();
      return task?.is_open === 1 ? work(change, task) : null;
    });
  }
}

/** A request that became no run, as a run would have ended. */
const refusalOf = ({ message, reason }: RejectedError): AgentEvent => ({
  event: "error",
  ts: Date.now(),
  agent_id: "",
  seq: 0,
  error: message,
  reason: reason === "overloaded" ? "internal" : "config",
});

const longer = (one: string, other: string) => (one.length > other.length ? one : other);
