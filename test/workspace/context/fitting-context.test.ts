import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { ImageSizes } from "../../../files/image-sizes.ts";
import type { ContextSources } from "../../../workspace/context/assemble-context.ts";
import type { ContextRoom } from "../../../workspace/context/context-room.ts";
import { fittingContext, type SummaryOf } from "../../../workspace/context/fitting-context.ts";
import { withImageSizes } from "../../../workspace/context/image-sizes.ts";
import type { Message } from "../../../workspace/records/thread.ts";
import { png } from "../../support/files/sample-files.ts";

const message = (id: string, text: string, more: Partial<Message> = {}): Message => ({
  id,
  thread_id: "t",
  fork_id: null,
  parent_id: null,
  author_type: "human",
  author_id: "ada",
  author_name: "Ada",
  text,
  parts: [],
  metadata: {},
  created_at: "2026-01-09T00:00:00Z",
  edited_at: null,
  ...more,
});
const page = "PAGE ".repeat(200);
const sources = (each: number, count = 60): ContextSources => ({
  agent: { id: "coder", systemPrompt: "You are Coder." },
  page,
  isBrief: false,
  earlier: Array.from({ length: count }, (_, index) => message(`m${index}`, `n${index} ${"x".repeat(each)}`)),
  fork: null,
  trigger: { id: "last", text: "@coder which?", parts: [] },
  asker: { name: "Ada", role: "admin" },
  summary: null,
});
const room: ContextRoom = { window: 200_000, maxTokens: 4096, hasTools: false, seller: null, mostBytes: 1_000_000 };
const beans: SummaryOf = () => "They like beans.";
const chosen = (...[given, of, from, summary]: Parameters<typeof fittingContext>) => {
  const fitting = fittingContext(given, of, from, summary);
  if (fitting.kind !== "context") return fitting;
  const { size, context } = fitting;
  const shown = context.turns.filter(({ text }) => /^\[Ada\]: n\d/.test(text)).length;
  const isSummed = context.turns[0]?.text.includes("They like beans.") ?? false;
  return { size, shown, isSummed, hasPage: context.instruction.includes("PAGE") };
};

test("all of what fits is given: the last 50 messages", () => {
  expect(chosen(sources(100), room, "whole", beans)).toEqual({
    size: "whole",
    shown: 50,
    isSummed: false,
    hasPage: true,
  });
});

test("above the model's window, by an estimate, the last 20 messages are given", () => {
  // 50 messages of 20,000 characters are 250,000 tokens, 20 of them 100,000.
  const wide = { ...room, mostBytes: 10_000_000 };
  expect(chosen(sources(20_000), wide, "whole", beans)).toMatchObject({ size: "recent", shown: 20, isSummed: false });
  expect(chosen(sources(20_000), { ...wide, window: 1_000_000 }, "whole", beans)).toMatchObject({ size: "whole" });
});

test("what the bus doesn't take in one message is too large as well", () => {
  const given = sources(20_000);
  expect(chosen(given, { ...room, window: 1_000_000, mostBytes: 600_000 }, "whole", beans)).toMatchObject({
    size: "recent",
    shown: 20,
  });
});

test("after the provider has refused the last 20, a summary of those before them stands in front; then the page goes", () => {
  let covered: readonly Message[] = [];
  const summary: SummaryOf = (messages) => {
    covered = messages;
    return "They like beans.";
  };
  expect(chosen(sources(100), room, "summarized", summary)).toEqual({
    size: "summarized",
    shown: 20,
    isSummed: true,
    hasPage: true,
  });
  expect(covered.map(({ id }) => id)).toEqual(Array.from({ length: 30 }, (_, index) => `m${index + 10}`));
  expect(chosen(sources(100), room, "least", summary)).toEqual({
    size: "least",
    shown: 20,
    isSummed: true,
    hasPage: false,
  });
});

test("where 20 long messages don't fit, as many as do stand behind a summary of the others", () => {
  let covered = 0;
  const summary: SummaryOf = (messages) => {
    covered = messages.length;
    return "They like beans.";
  };
  const given = sources(40_000);
  const wide = { ...room, window: 100_000, mostBytes: 10_000_000 };
  expect(chosen(given, wide, "whole", summary)).toMatchObject({ size: "summarized", shown: 10, isSummed: true });
  expect(covered).toBe(40);
});

test("a summary that nobody has tried to make is asked for; one that can't be had is done without", () => {
  expect(fittingContext(sources(100), room, "summarized", () => undefined)).toMatchObject({ kind: "summarize" });
  expect(chosen(sources(100), room, "summarized", () => null)).toMatchObject({ shown: 20, isSummed: false });
});

test("the prompt, the asker and the message that asks are never left out", () => {
  const given = { ...sources(100), trigger: { id: "last", text: "w".repeat(900_000), parts: [] } };
  const fitting = fittingContext(given, room, "whole", beans);
  // It is above the window by the estimate: the provider decides.
  if (fitting.kind !== "context") throw new Error(fitting.kind);
  expect(fitting.size).toBe("least");
  expect(fitting.context.turns.at(-1)?.text).toMatch(/^The person asking is Ada \(role: admin\)\.\n\nw{900000}$/);
  expect(fitting.context.instruction).toContain("You are Coder.");
});

test("a message that no request has room for is too long", () => {
  const given = { ...sources(100), trigger: { id: "last", text: "w".repeat(1_000_000), parts: [] } };
  expect(fittingContext(given, room, "whole", beans)).toEqual({ kind: "too_long" });
});

test("a thread of 50 messages without anything older needs no summary", () => {
  const never: SummaryOf = () => {
    throw new Error("asked for one");
  };
  expect(chosen(sources(100, 15), room, "summarized", never)).toMatchObject({ size: "summarized", shown: 15 });
});

test("a thread of the longest messages is looked through in time", () => {
  const before = process.cpuUsage();
  for (const text of ["a\n".repeat(500_000), "x".repeat(1_000_000)]) {
    const earlier = Array.from({ length: 50 }, (_, index) => message(`m${index}`, text));
    const fitting = fittingContext({ ...sources(1), earlier }, room, "whole", () => undefined);
    expect(fitting).toMatchObject({ kind: "summarize", messages: { length: 50 } });
  }
  // By the processor's time, which other programs don't lengthen.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000);
});

test("images count as the provider of the agent's model counts them, and one that is gone as one of usual size", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cortex-fitting-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = (width: number, height: number) =>
    storeAttachment(folder, "a.png", [png(width, height)], { maxBytes: 1e8, kinds: ["*"] });
  const gone = { type: "file" as const, id: "0".repeat(64), name: "a.png", mime: "image/png", size: 9 };
  const sizeOf = async (part: typeof gone, seller: "google" | "anthropic") => {
    const given = sources(1, 0);
    const earlier = Array.from({ length: 40 }, (_, index) => message(`m${index}`, `n${index}`, { parts: [part] }));
    const sized = await withImageSizes({ ...given, earlier }, new ImageSizes(folder));
    return chosen(sized, { ...room, window: 80_000, seller }, "whole", beans);
  };
  // 40 images of 6192 tokens, of 160, and of the 1600 that are a guess.
  expect(await sizeOf((await store(4000, 3000)) as typeof gone, "google")).toMatchObject({ size: "summarized" });
  expect(await sizeOf((await store(400, 300)) as typeof gone, "anthropic")).toMatchObject({ size: "whole" });
  expect(await sizeOf(gone, "google")).toMatchObject({ size: "whole" });
});
