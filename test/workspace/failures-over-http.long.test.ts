/**
 * The words for people when an agent can't answer, over HTTP, with the usual pauses between tries: all of it at once.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PageOf } from "../../workspace/records/page.ts";
import type { Task } from "../../workspace/records/task.ts";
import type { Message, Thread } from "../../workspace/records/thread.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { AgentsSystem } from "../agents/agents-system.ts";
import { EventReader, type SentEvent } from "../channels/sse.ts";
import { errorBody } from "../support/providers/anthropic.ts";
import type { Reply } from "../support/providers/played.ts";
import { ownerOf, type TeamCaller } from "./team-caller.ts";
import { describeDatabases } from "./temporary-store.ts";

/** Longer than the tries of an outage take, shorter than the wait for the rate limit. */
const answerSeconds = 60;
const limitSeconds = 65;

const refused = (status: number, type: string, message = "x", headers = {}): Reply => ({
  status,
  headers,
  body: errorBody(type, message),
});
const outage = /^Coder couldn't respond\. The AI service is temporarily unavailable\. Ask again/;
const unexpected = /^Coder produced an unexpected response\. Try rephrasing your question\.$/;
const setUp = /^Coder couldn't respond\. The way in which it is set up doesn't work here/;

/** By a word of the question: what the model server answers, what is read, and how often it was asked. */
const rows: Record<string, [Reply, RegExp, number]> = {
  "an outage": [refused(500, "api_error"), outage, 4],
  "a service away": [refused(503, "api_error"), outage, 4],
  "an overload": [refused(529, "overloaded_error"), outage, 4],
  "a cut": [{ turn: { text: "Water them." }, cut: "between-events", by: "reset" }, outage, 4],
  "an empty answer": [{ turn: {} }, unexpected, 1],
  "a blank answer": [{ turn: { text: " \n" } }, unexpected, 1],
  "a page": [{ status: 200, body: "<html>Log in</html>" }, unexpected, 1],
  "a refusal": [{ turn: { text: "No.", stop: "refusal" } }, unexpected, 1],
  "a bad key": [refused(401, "authentication_error"), setUp, 1],
  "no such model": [refused(404, "not_found_error"), setUp, 1],
  "too much": [
    refused(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
    /^Coder couldn't respond\. The message and what belongs to it are longer than its model takes/,
    4,
  ],
  "a silence": [
    { silent: true },
    /^Coder's response timed out\. The question may be too complex for a single response\. Ask again/,
    1,
  ],
};

describeDatabases((newTarget) => {
  let system: AgentsSystem;
  let admin: TeamCaller;
  let workspace: string;
  beforeAll(async () => {
    const target = await newTarget();
    const env: Record<string, string> = "url" in target ? { DATABASE_URL: target.url } : {};
    const settings = { channels: {}, max_concurrent: 32, workspace: { answer_timeout_seconds: answerSeconds } };
    system = await AgentsSystem.start(settings, {}, env);
    admin = ownerOf(system);
    workspace = (await admin.post<{ id: string }>("/workspaces", { name: "Garden" })).id;
  });
  afterAll(() => system[Symbol.asyncDispose]());

  async function ask(word: string) {
    const { id } = await admin.post<Thread>(`/workspaces/${workspace}/threads`, { title: word });
    const question = { text: `@coder what of ${word}?` };
    const { tasks, message } = await admin.post<{ message: Message; tasks: Task[] }>(
      `/threads/${id}/messages`,
      question,
    );
    const task = await admin.ended(tasks[0]?.id ?? "");
    const { items } = await admin.get<PageOf<Message>>(`/threads/${id}/messages`);
    return { message, task, items, calls: system.askedOf(`what of ${word}?`).length };
  }

  test("each failure is told in its words, with the agent's name and what to do; the message stays and is asked again", async () => {
    for (const [word, [reply]] of Object.entries(rows)) system.think(`what of ${word}?`, () => reply);
    let isLimited = true;
    system.think("what of a rate limit?", () => {
      if (!isLimited) return { text: "Thank you for waiting." };
      isLimited = false;
      return refused(429, "rate_limit_error", "Slow down", { "retry-after": String(limitSeconds) });
    });
    await using feed = await EventReader.open(
      `${readEndpoints(system.journal)?.web_url}/api/v1/workspaces/${workspace}/events`,
      String(readEndpoints(system.journal)?.web_token),
    );
    const limited = ask("a rate limit");
    type Wait = { task_id: string; waits_until?: string };
    const waits = () =>
      feed.events.flatMap(({ event, data }) =>
        event === "presence.thinking" && data.includes("waits_until") ? [JSON.parse(data) as Wait] : [],
      );
    await system.until(() => waits().length > 0, "the wait is shown");
    const [wait] = waits();
    // The live feed is ahead of what is stored.
    const isStored = ({ event, data }: SentEvent) =>
      event === "task.status_changed" && data.includes(`"waits_until":"${wait?.waits_until}"`);
    await system.until(() => feed.events.some(isStored), "the wait is stored");
    const waiting = await admin.get<Task>(`/tasks/${wait?.task_id}`);
    expect(waiting).toMatchObject({ status: "running", waits_until: wait?.waits_until });
    // It began to wait a moment ago.
    const leftSeconds = (Date.parse(wait?.waits_until ?? "") - Date.now()) / 1000;
    expect([leftSeconds > 0, leftSeconds <= limitSeconds + 1]).toEqual([true, true]);
    const failed = await Promise.all(Object.keys(rows).map(async (word) => ({ word, ...(await ask(word)) })));
    for (const { word, message, task, items, calls } of failed) {
      const [, words, times] = rows[word] ?? [];
      const told = items.filter(({ author_type }) => author_type === "system");
      expect([word, calls, told]).toMatchObject([
        word,
        times,
        [
          {
            text: expect.stringMatching(words ?? ""),
            parent_id: message.id,
            metadata: { kind: "error", taskId: task.id },
          },
        ],
      ]);
      expect(task).toMatchObject({ status: "failed", error: expect.stringContaining(told[0]?.text ?? "") });
      expect(items[0]).toEqual(message);
    }
    const { task, items } = await limited;
    expect(task.id).toBe(wait?.task_id);
    expect(items.at(-1)?.text).toBe("Thank you for waiting.");
    expect(task).toMatchObject({ status: "completed", waits_until: null });
    system.think("what of an outage?", () => ({ text: "It is over." }));
    const over = failed.find(({ word }) => word === "an outage")?.task;
    const again = await admin.post<Task>(`/tasks/${over?.id}/retry`);
    expect(await admin.ended(again.id)).toMatchObject({
      status: "completed",
      trigger_message_id: over?.trigger_message_id,
    });
  });
});
