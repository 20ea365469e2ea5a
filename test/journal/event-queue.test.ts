import { appendFileSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EventQueue } from "../../journal/channels/event-queue.ts";
import { state } from "../../journal/config/paths.ts";

let journal = "";
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "events-"));
});
afterEach(() => rmSync(journal, { recursive: true, force: true }));

const { signal } = new AbortController();
const file = () => state(journal, "channels", "signal-events.jsonl");

test("events come in their order, and again until they are done, whoever opens the queue", async () => {
  {
    using queue = new EventQueue(journal, "signal");
    for (const event of ["a", "b", "c"]) await queue.add(event, signal);
    const first = await queue.first(signal);
    expect(first.event).toBe("a");
    await queue.done(first.seq);
  }
  appendFileSync(file(), '{"event":"torn');
  using again = new EventQueue(journal, "signal");
  expect(again.size).toBe(2);
  await again.add("d", signal);
  const seen: string[] = [];
  while (again.size > 0) {
    const { seq, event } = await again.first(signal);
    seen.push(event);
    await again.done(seq);
  }
  expect(seen).toEqual(["b", "c", "d"]);
});

test("whoever brings more than there is room for waits, and whoever asks waits for what comes", async () => {
  using queue = new EventQueue(journal, "signal", { maxWaiting: 1 });
  const asked = queue.first(signal);
  await queue.add("a", signal);
  const { seq } = await asked;
  let isAdded = false;
  const adding = queue.add("b", signal).then(() => (isAdded = true));
  expect(isAdded).toBe(false);
  await queue.done(seq);
  await adding;
  expect((await queue.first(signal)).event).toBe("b");
  const over = new AbortController();
  const full = queue.add("c", over.signal);
  over.abort(new Error("over"));
  await expect(full).rejects.toThrow("over");
});

test("a file with nothing to do in it is emptied once it is large", async () => {
  using queue = new EventQueue(journal, "signal", { maxBytes: 200 });
  for (let n = 0; n < 20; n++) {
    await queue.add(`event ${n}`, signal);
    await queue.done((await queue.first(signal)).seq);
  }
  expect(statSync(file()).size).toBeLessThan(300);
});

test("an event that comes while the file is emptied is kept", async () => {
  {
    using queue = new EventQueue(journal, "signal", { maxBytes: 1 });
    await queue.add("a", signal);
    const { seq } = await queue.first(signal);
    await Promise.all([queue.done(seq), queue.add("b", signal)]);
    expect((await queue.first(signal)).event).toBe("b");
  }
  using again = new EventQueue(journal, "signal");
  expect(again.size).toBe(1);
  expect((await again.first(signal)).event).toBe("b");
});

test("a file in which something always waits is no larger than what waits asks for", async () => {
  using queue = new EventQueue(journal, "signal", { maxBytes: 200 });
  await queue.add("the first", signal);
  for (let n = 0; n < 50; n++) {
    await queue.add(`event ${n}`, signal);
    await queue.done((await queue.first(signal)).seq);
  }
  expect(queue.size).toBe(1);
  expect(statSync(file()).size).toBeLessThan(400);
});

test("events wait for room by their length, too; one that is longer than that comes by itself", async () => {
  using queue = new EventQueue(journal, "signal", { maxLength: 10 });
  await queue.add("longer than ten", signal);
  const adding = queue.add("b", signal);
  // Written behind it, if that had begun.
  await queue.done(0);
  expect(queue.size).toBe(1);
  const { seq, event } = await queue.first(signal);
  expect(event).toBe("longer than ten");
  await queue.done(seq);
  await adding;
  expect((await queue.first(signal)).event).toBe("b");
});
