/** Calls of a web program that may be killed at any moment. */
import { setTimeout as delay } from "node:timers/promises";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import type { Message } from "../../workspace/records/thread.ts";
import { EventReader, type SentEvent } from "../channels/sse.ts";
import { askUntil } from "../support/ask-until.ts";
import { patienceMs } from "../support/patience.ts";

/** How often a listener takes what it has heard, in ms: many of them share a machine. */
const takeMs = 50;

/** Calls the web program, as often as it takes: it may be away at any moment. */
export class WebCaller {
  readonly #journal: string;
  readonly #token: string;

  constructor(journal: string, token: string) {
    this.#journal = journal;
    this.#token = token;
  }

  async call<T>(method: string, path: string, body?: unknown, key?: string): Promise<T> {
    const once = async () => {
      const url = await this.url();
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.#token}`,
          ...(body === undefined ? {} : { "Content-Type": "application/json" }),
          ...(key === undefined ? {} : { "Idempotency-Key": key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }).catch(() => null);
      if (response === null || response.status >= 500 || response.status === 429) return undefined;
      const answer = await response.text().catch(() => null);
      if (answer === null) return undefined;
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer}`);
      return JSON.parse(answer) as T;
    };
    return (await askUntil(once, () => `an answer to ${method} ${path}`, 2 * patienceMs)) as T;
  }

  async url(): Promise<string> {
    return `${(await readProgramRecord(this.#journal, "channel-web"))?.url ?? "http://127.0.0.1:1"}/api/v1`;
  }

  /** Listens until the signal, and goes on behind what it has when it is cut off. */
  async listen(path: string, heard: SentEvent[], signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const last = heard.at(-1)?.id ?? "0";
      const url = `${await this.url()}${path}`;
      const reader = await EventReader.open(url, this.#token, { "Last-Event-ID": last }).catch(() => null);
      while (reader && !reader.isOver && !signal.aborted) {
        heard.push(...reader.events.splice(0).filter(({ id }) => id !== ""));
        await delay(takeMs);
      }
      if (reader) heard.push(...reader.events.splice(0).filter(({ id }) => id !== ""));
      await reader?.[Symbol.asyncDispose]();
      if (!signal.aborted) await delay(50);
    }
  }

  /** All messages of a thread, oldest first. */
  async messages(threadId: string): Promise<Message[]> {
    const all: Message[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path = `/threads/${threadId}/messages?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const page: { items: Message[]; next: string | null } = await this.call("GET", path);
      all.unshift(...page.items);
      cursor = page.next;
    }
    return all;
  }
}
