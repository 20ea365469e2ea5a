/** The web program is killed while 20 people post at once and 40 listen: everybody ends with the same, once and in one order. */
import { setTimeout as delay } from "node:timers/promises";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { User } from "../../../../workspace/records/people.ts";
import type { Message } from "../../../../workspace/records/thread.ts";
import { type AdapterProgram, ChannelSystem } from "../../../channels/channel-system.ts";
import { EventReader, type SentEvent } from "../../../channels/sse.ts";
import { hasPostgres, startPostgres } from "../../../support/postgres.ts";

const people = 20;
const turns = 8;
const listeners = 40;
const kills = 3;

/** Before somebody who was cut off tries again, in ms. */
const againMs = 50;

/** One who comes back whenever they are cut off, behind the last event that they heard. */
class ReturningListener implements AsyncDisposable {
  readonly events: SentEvent[] = [];
  readonly #stop = new AbortController();
  readonly #listening: Promise<void>;

  constructor(url: string, token: string) {
    this.#listening = this.#listen(url, token);
  }

  async #listen(url: string, token: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const last = this.events.at(-1)?.id;
      try {
        await using reader = await EventReader.open(url, token, { "Last-Event-ID": last ?? "0" });
        let taken = 0;
        const take = () => {
          for (; taken < reader.events.length; taken++) this.events.push(reader.events[taken] as SentEvent);
        };
        while (!reader.isOver && !this.#stop.signal.aborted) {
          await delay(10);
          take();
        }
        take();
      } catch {} // it is away
      await delay(againMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#listening;
  }
}

/** Sends until there is an answer: whether it was made before, its sender needn't know. */
async function sendUntilAnswered(url: string, token: string, body: object): Promise<void> {
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Idempotency-Key": randomUUID(),
  };
  for (;;) {
    try {
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      await response.text();
      if (response.status === 201) return;
      if (response.status !== 503) throw new TypeError(`${response.status}`);
    } catch (error) {
      if (error instanceof TypeError && /^\d+$/.test(error.message)) throw error;
    }
    await delay(againMs);
  }
}

async function runWith(env: Record<string, string>): Promise<void> {
  await using system = await ChannelSystem.start({});
  const start = (): AdapterProgram => system.start("web", env);
  let program = start();
  const base = `${await program.isReady()}/api/v1`;
  const token = readFileSync(join(system.journal, ".run/web-token"), "utf8").trim();
  const post = async <T>(path: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) });
    return (await response.json()) as T;
  };
  const { id: workspace } = await post<{ id: string }>("/workspaces", { name: "Garden" });
  const { id: thread } = await post<{ id: string }>(`/workspaces/${workspace}/threads`, { title: "Seeds" });
  const speakers = [];
  for (let index = 0; index < people; index++)
    speakers.push(await post<{ user: User; token: string }>(`/workspaces/${workspace}/members`, { name: `P${index}` }));

  await using resources = new AsyncDisposableStack();
  const heard = Array.from({ length: listeners }, () =>
    resources.use(new ReturningListener(`${base}/workspaces/${workspace}/events`, token)),
  );
  const speaking = speakers.map(async (speaker) => {
    for (let turn = 0; turn < turns; turn++)
      await sendUntilAnswered(`${base}/threads/${thread}/messages`, speaker.token, {
        text: `${speaker.user.name} ${turn}`,
      });
  });
  const said = people * turns;
  for (let kill = 1; kill <= kills; kill++) {
    // In the middle of it, wherever that is.
    await system.until(
      () => (heard[0]?.events.length ?? 0) - people >= (said * kill) / (kills + 2),
      "a part of what is said",
    );
    await program.kill();
    program = start();
    expect(`${await program.isReady()}/api/v1`).toBe(base);
  }
  await Promise.all(speaking);
  // The events of the thread and of the people, and one for each message.
  const before = 1 + people;
  await system.until(() => heard.every(({ events }) => events.length >= said + before), "everything at everybody");
  const numbers = Array.from({ length: said + before }, (_, index) => index + 1);
  const response = await fetch(`${base}/threads/${thread}/messages?limit=200`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const { items } = (await response.json()) as { items: Message[] };
  expect(new Set(items.map(({ text }) => text)).size).toBe(said);
  const texts = items.map(({ text }) => text);
  for (const { events } of heard) {
    expect(events.map(({ id }) => Number(id))).toEqual(numbers);
    expect(events.slice(before).map(({ data }) => (JSON.parse(data) as { message: Message }).message.text)).toEqual(
      texts,
    );
  }
}

test("with SQLite, nobody misses or doubles what was said around kills of the web program", () => runWith({}));

test.skipIf(!hasPostgres)(
  "with PostgreSQL, nobody misses or doubles what was said around kills of the web program",
  async () => {
    await using server = await startPostgres();
    await runWith({ DATABASE_URL: await server.newDatabase() });
  },
);
