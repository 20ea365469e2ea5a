/** The actions of a member on a whole `cortex up` over HTTP, and what they see of it. */
import { readEndpoints } from "../../journal/access/endpoints.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { AgentsSystem } from "../agents/agents-system.ts";
import { patienceMs } from "../support/patience.ts";

export type Answered = { status: number; body: unknown };

export class TeamCaller {
  readonly #system: AgentsSystem;
  readonly #token: string;

  constructor(system: AgentsSystem, token: string) {
    this.#system = system;
    this.#token = token;
  }

  async call(method: string, path: string, body?: unknown, more: Record<string, string> = {}): Promise<Answered> {
    const url = readEndpoints(this.#system.journal)?.web_url ?? "";
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...more,
    };
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) ?? null });
    return { status: answer.status, body: await answer.json() };
  }

  async get<T>(path: string): Promise<T> {
    return this.#ok(await this.call("GET", path)) as T;
  }

  async post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#ok(await this.call("POST", path, body)) as T;
  }

  /** Waits until a task has ended. */
  ended(id: string): Promise<Task> {
    return eventually(async () => {
      const task = await this.get<Task>(`/tasks/${id}`);
      return task.status === "queued" || task.status === "running" ? undefined : task;
    }, `an end of task ${id}`);
  }

  #ok({ status, body }: Answered): unknown {
    if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  }
}

export const ownerOf = (system: AgentsSystem) =>
  new TeamCaller(system, String(readEndpoints(system.journal)?.web_token));

/** Kills the web program, and waits until it is back. */
export async function killWeb(system: AgentsSystem): Promise<void> {
  const pid = system.pidOf("channel-web");
  system.up.kill("channel-web");
  await system.until(() => system.pidOf("channel-web") !== pid && system.up.isReady("channel-web"), "web is back");
}

/** Asks until there is something. A program that was killed refuses connections meanwhile. */
export async function eventually<T>(ask: () => Promise<T | undefined>, what: string): Promise<T> {
  for (const end = performance.now() + patienceMs; performance.now() < end; ) {
    const found = await ask().catch((error: unknown) => {
      if (error instanceof TypeError) return undefined;
      throw error;
    });
    if (found !== undefined) return found;
    await new Promise((resolve) => void setTimeout(resolve, 50));
  }
  throw new Error(`there was never ${what}`);
}
