/** A whole `cortex up` with workspaces, whose agents answer with a played model, as its API is seen from outside. */
import { setTimeout as delay } from "node:timers/promises";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import type { DatabaseTarget } from "../../../workspace/database/connection/open-database.ts";
import type { Task } from "../../../workspace/records/task.ts";
import type { Message } from "../../../workspace/records/thread.ts";
import { type Up, UpJournal } from "../../supervisor/up-process.ts";
import { askUntil } from "../../support/ask-until.ts";
import { patienceMs } from "../../support/patience.ts";
import { startAnthropic } from "../../support/providers/anthropic.ts";

/** Milliseconds for which the model thinks, so that something can happen meanwhile. */
const thinkingMs = 300;

export class WebTeam implements AsyncDisposable {
  readonly journal: UpJournal;
  readonly #up: Up;
  readonly #resources: AsyncDisposableStack;

  private constructor(journal: UpJournal, up: Up, resources: AsyncDisposableStack) {
    this.journal = journal;
    this.#up = up;
    this.#resources = resources;
  }

  /** The model's answer to "number 7" is "Answer to number 7." */
  static async start(target: DatabaseTarget, env: Record<string, string> = {}): Promise<WebTeam> {
    const resources = new AsyncDisposableStack();
    const answer = async (body: unknown) => {
      const asked =
        JSON.stringify(body)
          .match(/number (\d+)/g)
          ?.at(-1) ?? "";
      await delay(thinkingMs);
      return { turn: { text: `Answer to ${asked}.` }, pieceBytes: 200 };
    };
    const model = resources.use(await startAnthropic([], { answer }));
    const journal = resources.use(
      new UpJournal(
        { default_backend: "anthropic", max_concurrent: 8, channels: { web: { enabled: true } } },
        {
          ANTHROPIC_API_KEY: "sk-ant-of-nobody",
          ANTHROPIC_BASE_URL: model.url,
          ...("url" in target && { DATABASE_URL: target.url }),
          ...env,
        },
      ),
    );
    const up = journal.start();
    await up.isUp();
    return new WebTeam(journal, up, resources);
  }

  /** Asks until somebody answers. @throws Error when that is a refusal */
  async call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const answer = () => this.#callOnce<T>(method, path, body, key);
    const { status, said } = await askUntil(answer, () => `${method} ${path}\n${this.#up.output}`, patienceMs);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(said)}`);
    return said;
  }

  /** Null: nobody answers now. */
  async #callOnce<T>(
    method: string,
    path: string,
    body: unknown,
    key?: string,
  ): Promise<{ status: number; said: T } | null> {
    const { web_url = "", web_token = "" } = readEndpoints(this.journal.path) ?? {};
    const headers = {
      Authorization: `Bearer ${web_token}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(key !== undefined && { "Idempotency-Key": key }),
    };
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    try {
      const response = await fetch(`${web_url}/api/v1${path}`, request);
      const said = (await response.json()) as T;
      return response.status < 500 ? { status: response.status, said } : null;
    } catch {
      return null;
    }
  }

  async newThread(title: string): Promise<string> {
    const { items } = await this.call<{ items: { id: string }[] }>("GET", "/workspaces");
    return (await this.call<{ id: string }>("POST", `/workspaces/${items[0]?.id}/threads`, { title }, title)).id;
  }

  /** Posts a text that begins one task, once. */
  async ask(threadId: string, text: string): Promise<Task> {
    const { tasks } = await this.call<{ tasks: Task[] }>(
      "POST",
      `/threads/${threadId}/messages`,
      { text },
      encodeURIComponent(text),
    );
    const [task, ...more] = tasks;
    if (!task || more.length > 0) throw new Error(`${tasks.length} tasks begin with ${text}`);
    return task;
  }

  /** Waits until a task has ended. */
  ended(id: string): Promise<Task> {
    const hasEnded = async () => {
      const task = await this.call<Task>("GET", `/tasks/${id}`);
      return task.status !== "queued" && task.status !== "running" && task;
    };
    return askUntil(hasEnded, () => `task ${id} has ended\n${this.#up.output}`, patienceMs);
  }

  /** Lists the messages in a thread by others than people. */
  async answers(threadId: string): Promise<Message[]> {
    const { items } = await this.call<{ items: Message[] }>("GET", `/threads/${threadId}/messages?limit=200`);
    return items.filter(({ author_type }) => author_type !== "human");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources[Symbol.asyncDispose]();
  }
}
