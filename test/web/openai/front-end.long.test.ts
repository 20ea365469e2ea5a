/**
 * OpenAI's door with the calls of a chat front end, as they were recorded: Deep Chat 2.4.2 in Chromium, three messages by Chat
 * Completions, the last with a picture, and two by Responses. It sends the whole conversation each time.
 */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { findEvent } from "../../../journal/runs/read-run.ts";
import { startDoor } from "./door-system.ts";

type Call = { method: string; path: string; headers: Record<string, string>; body: Record<string, unknown> };

const calls = readFileSync(new URL("recorded/deep-chat.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Call);

/** The answers that stand in the recorded conversations, by what the user had said. */
const answers: Record<string, string> = {
  "Which boat is it?": "answer 1",
  "And what is it made of?": "answer 2",
  "What is on this picture?": "answer 3",
  "Thank you for the boat.": "answer 4",
  "And who built it?": "answer 5",
};

const door = await startDoor();
afterAll(() => door[Symbol.asyncDispose]());
const { system, url, token } = door;

type StreamEvent = { type?: string; delta?: string; choices?: { delta: { content?: string } }[] };

/** The documents of a stream, and what stood last in it. */
function eventsIn(stream: string): { events: StreamEvent[]; end: string } {
  const data = stream.split("\n").flatMap((line) => (line.startsWith("data: ") ? [line.slice("data: ".length)] : []));
  const events = data.filter((text) => text !== "[DONE]").map((text) => JSON.parse(text) as StreamEvent);
  return { events, end: data.at(-1) ?? "" };
}

const textOf = (events: readonly StreamEvent[]): string =>
  events
    .map((event) => (event.type === "response.output_text.delta" ? event.delta : event.choices?.[0]?.delta.content))
    .join("");

test("the calls of a chat front end are answered one after the other, each with all that was said before", async () => {
  system.think("boat", ({ last }) => {
    const asked = Object.keys(answers).find((words) => last.includes(words)) ?? "";
    return { text: answers[asked] ?? `an answer to: ${last}` };
  });
  const said: string[] = [];
  for (const { method, path, headers, body } of calls) {
    const answer = await fetch(`${url}${path}`, {
      method,
      // A page from elsewhere isn't answered: its own server asks, or it is at the same address.
      headers: { ...headers, authorization: `Bearer ${token}`, origin: new URL(url).origin },
      body: JSON.stringify(body),
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    const { events, end } = eventsIn(await answer.text());
    said.push(textOf(events));
    if (path === "/v1/chat/completions") expect(end).toBe("[DONE]");
    else expect(JSON.parse(end)).toMatchObject({ type: "response.completed", response: { status: "completed" } });
    const run = answer.headers.get("x-cortex-run") ?? "";
    expect(await findEvent(system.up.path, run, ["request"])).toMatchObject({ persona: "default", temperature: 0.7 });
  }
  expect(said).toEqual(Object.values(answers));
  // The model was told the earlier answers as its own, and shown the picture.
  const [, , picture, , last] = calls.map((_, index) =>
    system.askedOf("boat").find(({ last: words }) => words.includes(Object.keys(answers)[index] ?? "")),
  );
  expect(picture?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(JSON.stringify(picture?.messages[1])).toContain("answer 1");
  expect(JSON.stringify(picture?.messages.at(-1))).toContain('"type":"image"');
  expect(JSON.stringify(last?.messages[1])).toContain("answer 4");
  expect(system.wrong).toEqual([]);
});
