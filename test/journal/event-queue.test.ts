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
