/** A system whose workspace a browser looks at: its agents answer with a played model, which a test gives its answers. */
import { readEndpoints } from "../../../../journal/access/endpoints.ts";
import type { Fork, Message, Thread } from "../../../../workspace/records/thread.ts";
import type { Task } from "../../../../workspace/records/task.ts";
import { askUntil } from "../../../support/ask-until.ts";
import { patienceMs } from "../../../support/patience.ts";
import { type PlayedAnthropic, startAnthropic } from "../../../support/providers/anthropic.ts";
import type { Reply } from "../../../support/providers/played.ts";
import { PageSystem } from "../../page-system.ts";

export class ThreadsTeam implements AsyncDisposable {
  readonly system: PageSystem;
  readonly #model: PlayedAnthropic;
  readonly #minds: Map<string, () => Reply>;
  /** The first workspace. */
  readonly workspace: string;

  private constructor(system: PageSystem, model: PlayedAnthropic, minds: Map<string, () => Reply>, workspace: string) {
    this.system = system;
    this.#model = model;
    this.#minds = minds;
    this.workspace = workspace;
  }

  static async start(): Promise<ThreadsTeam> {
    const minds = new Map<string, () => Reply>();
    const model = await startAnthropic([], {
      answer: (body) => {
        const asked = JSON.stringify(body);
        const word = [...minds.keys()].findLast((one) => asked.includes(one));
        return minds.get(word ?? "")?.() ?? { turn: { text: "I have nothing to say to that." } };
      },
    });
    const env = { ANTHROPIC_API_KEY: "sk-ant-of-nobody", ANTHROPIC_BASE_URL: model.url };
    const system = await PageSystem.start({ default_backend: "anthropic", max_concurrent: 8 }, env);
    const { items } = await callApi<{ items: { id: string }[] }>(system, "GET", "/workspaces");
    return new ThreadsTeam(system, model, minds, items[0]?.id ?? "");
  }

  /** Sets the answer of the model where this word was said. The last one told counts. */
  think(word: string, mind: Reply | (() => Reply)): void {
    this.#minds.delete(word);
    this.#minds.set(word, typeof mind === "function" ? mind : () => mind);
  }

  call<T>(method: string, path: string, body?: unknown, token?: string): Promise<T> {
    return callApi<T>(this.system, method, path, body, token);
  }

  newThread(title: string, workspace = this.workspace): Promise<Thread> {
    return this.call<Thread>("POST", `/workspaces/${workspace}/threads`, { title });
  }

  say(place: string, text: string, token?: string): Promise<{ message: Message; tasks: Task[] }> {
    return this.call("POST", `/${place}/messages`, { text }, token);
  }

  fork(message: Message, description: string): Promise<Fork> {
    return this.call<Fork>("POST", `/threads/${message.thread_id}/forks`, { message_id: message.id, description });
  }

  /** A member, with their token. */
  invite(name: string, role: "member" | "admin" = "member", workspace = this.workspace): Promise<{ token: string }> {
    return this.call("POST", `/workspaces/${workspace}/members`, { name, role });
  }

  /** Waits until a task has ended. */
  ended(id: string): Promise<Task> {
    return askUntil(
      async () => {
        const task = await this.call<Task>("GET", `/tasks/${id}`);
        return task.status !== "queued" && task.status !== "running" && task;
      },
      () => `task ${id} has ended`,
      patienceMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.system[Symbol.asyncDispose]();
    await this.#model[Symbol.asyncDispose]();
  }
}

/** Asks until somebody answers: a program that was killed refuses connections meanwhile. @throws Error for a refusal */
async function callApi<T>(
  system: PageSystem,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<T> {
  const key = crypto.randomUUID();
  const ask = async () => {
    const { web_url = "", web_token = "" } = readEndpoints(system.journal) ?? {};
    const headers = {
      Authorization: `Bearer ${token ?? web_token}`,
      ...(method === "POST" && { "Idempotency-Key": key }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
    };
    try {
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      const response = await fetch(`${web_url}/api/v1${path}`, init);
      const said = (await response.json()) as T;
      return response.status < 500 ? { status: response.status, said } : null;
    } catch {
      return null;
    }
  };
  const { status, said } = await askUntil(ask, () => `${method} ${path}`, patienceMs);
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(said)}`);
  return said;
}
