/** A thread as one looks at it: its record, its forks, what agents do there, and the calls that wait for a person. */
import { batch, signal } from "@preact/signals";
import type { events } from "../../../web/client/api-types.ts";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import type { Message } from "./place-store.ts";
import { mostItems, type TeamStore } from "./team-store.ts";

export type Thread = ApiRecord<"Thread">;
export type Fork = ApiRecord<"Fork">;
export type Task = ApiRecord<"TaskRow">;
export type Approval = ApiRecord<"Approval">;

export class ThreadStore {
  readonly id: string;
  readonly thread = signal<Thread | null>(null);
  readonly problem = signal<unknown>(null);
  /** Oldest first. */
  readonly forks = signal<readonly Fork[]>([]);
  readonly tasks = signal<ReadonlyMap<string, Task>>(new Map());
  /** Oldest first. */
  readonly approvals = signal<readonly Approval[]>([]);
  /** The tasks whose agent is thinking. */
  readonly thinking = signal<ReadonlySet<string>>(new Set());
  /** The message that sums it up; null: there is none, or it isn't read yet. */
  readonly summary = signal<Message | null>(null);

  readonly #team: TeamStore;
  readonly #ends: (() => void)[] = [];
  readonly #reads = new OneAtATime();
  /** The ids of what came while lists were being read, and is newer than they are. */
  #fresh: Set<string> | null = null;

  constructor(team: TeamStore, id: string) {
    this.#team = team;
    this.id = id;
  }

  open(): void {
    const team = this.#team;
    const takeFork = ({ fork }: { fork: Fork }) => this.takeFork(fork);
    this.#ends.push(
      team.on("thread.updated", ({ thread }) => this.takeThread(thread)),
      team.on("fork.created", takeFork),
      team.on("fork.draft", takeFork),
      team.on("fork.resolved", takeFork),
      team.on("fork.status_changed", takeFork),
      team.on("task.status_changed", ({ task }) => this.takeTask(task)),
      team.on("approval.requested", ({ approval }) => this.takeApproval(approval)),
      team.on("approval.decided", ({ approval }) => this.takeApproval(approval)),
      team.on("presence.thinking", (presence) => this.#think(presence)),
      team.on("message.updated", ({ message }) => this.#takeSummary(message)),
      team.onReset(() => void this.read()),
    );
    void team.listening.then(() => this.read());
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  read(): Promise<void> {
    return this.#reads.run(() => this.#read());
  }

  async #read(): Promise<void> {
    const params = { path: { id: this.id }, query: { limit: mostItems } };
    const fresh = (this.#fresh = new Set<string>());
    try {
      const [thread, forks, tasks, approvals] = await Promise.all([
        answered(client.GET("/api/v1/threads/{id}", { params: { path: { id: this.id } } })),
        answered(client.GET("/api/v1/threads/{id}/forks", { params })),
        answered(client.GET("/api/v1/threads/{id}/tasks", { params })),
        answered(
          client.GET("/api/v1/workspaces/{w}/approvals", {
            params: { path: { w: this.#team.id }, query: { limit: mostItems } },
          }),
        ),
      ]);
      batch(() => {
        this.problem.value = null;
        const isOld = ({ id }: { id: string }) => !fresh.has(id);
        if (isOld(thread)) this.takeThread(thread);
        for (const fork of forks.items.filter(isOld)) this.takeFork(fork);
        for (const task of tasks.items.filter(isOld)) this.takeTask(task);
        for (const approval of approvals.items.filter(isOld)) this.takeApproval(approval);
      });
    } catch (error) {
      this.problem.value = error;
    }
    this.#fresh = null;
  }

  takeThread(thread: Thread): void {
    if (thread.id !== this.id) return;
    this.#fresh?.add(thread.id);
    this.thread.value = thread;
    if (thread.summary_id !== null) void this.#readSummary(thread.summary_id);
  }

  takeFork(fork: Fork): void {
    if (fork.thread_id === this.id) this.forks.value = this.#with(this.forks.value, fork);
  }

  /** Takes a task as it is told. What it was before, such as an answer that events were quicker than, is passed over. */
  takeTask(task: Task): void {
    const known = this.tasks.peek().get(task.id);
    if (task.thread_id !== this.id || (known && stageOf(task) < stageOf(known))) return;
    this.#fresh?.add(task.id);
    this.tasks.value = new Map(this.tasks.value).set(task.id, task);
  }

  takeApproval(approval: Approval): void {
    if (approval.thread_id === this.id) this.approvals.value = this.#with(this.approvals.value, approval);
  }

  /** Reads the summary, which may stand far above the last messages. Where it can't be read it stands there alone. */
  async #readSummary(id: string): Promise<void> {
    await answered(client.GET("/api/v1/messages/{id}", { params: { path: { id } } })).then(
      (message) => this.#takeSummary(message),
      () => {},
    );
  }

  #takeSummary(message: Message): void {
    const known = this.summary.peek();
    const isNewer = known?.id !== message.id || (message.edited_at ?? "") >= (known.edited_at ?? "");
    if (message.id === this.thread.peek()?.summary_id && isNewer) this.summary.value = message;
  }

  #with<Item extends { id: string }>(items: readonly Item[], item: Item): readonly Item[] {
    this.#fresh?.add(item.id);
    const others = items.filter(({ id }) => id !== item.id);
    return [...others, item].toSorted((one, other) => (one.id < other.id ? -1 : 1));
  }

  #think({ task_id, thread_id, is_thinking }: events["presence.thinking"]): void {
    if (thread_id !== this.id) return;
    const thinking = new Set(this.thinking.value);
    if (is_thinking) thinking.add(task_id);
    else thinking.delete(task_id);
    this.thinking.value = thinking;
  }
}

/** How far a task has come: it never goes back. One that is asked again is another one. */
const stageOf = ({ status }: Task): number =>
  ({ queued: 0, running: 1, completed: 2, failed: 2, cancelled: 2 })[status];
