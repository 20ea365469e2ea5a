import { expect, test } from "vitest";
import { RunSteps } from "../../../page/trajectory/run-steps.ts";
import { UnfinishedText as UnfinishedTextOfPage } from "../../../page/trajectory/unfinished-text.ts";
import { AnswerProgress } from "../../../workspace/answers/progress/answer-progress.ts";
import { fromEvents } from "../../../conversation/from-events.ts";
import { RecordedEvents } from "../../../agents/turns/record-events.ts";
import { recordOfLine, recordOfUnfinished as recordOfPage } from "../../../page/talk/talk-record.ts";
import { Progress } from "../../../scripts/runs/progress.ts";
import type { HistoryRecord } from "../../../protocol/agents/agent-files.ts";
import type { AgentEvent, EventBody } from "../../../protocol/runs/event.ts";
import { UnfinishedText } from "../../../protocol/runs/unfinished-text.ts";
import { ShareSteps } from "../../../web/machine/share/share-steps.ts";

const piece = (text: string): EventBody => ({ event: "text", text, partial: true });
const start: EventBody = { event: "start" };
const usage: EventBody = { event: "usage" };
const killed: EventBody = { event: "error", error: "killed", reason: "crash" };

/** The cases, each with the messages in the end, however they came. */
const cases: [what: string, events: EventBody[], said: string[]][] = [
  [
    "pieces, and then the whole",
    [start, piece("One, "), piece("two"), usage, { event: "text", text: "One, two." }, killed],
    ["One, two."],
  ],
  [
    "pieces, and then the answer",
    [start, piece("One, "), usage, { event: "finish", result: "One, two." }],
    ["One, two."],
  ],
  ["pieces, and then nothing more", [start, piece("One, "), usage, piece("two"), killed], ["One, two"]],
  [
    "pieces, and then another attempt",
    [start, piece("One"), start, usage, { event: "text", text: "Again." }, killed],
    ["One", "Again."],
  ],
  [
    "pieces of a call that was tried again",
    [start, piece("One"), { event: "retry", delay_ms: 1 }, piece("Two"), killed],
    ["Two"],
  ],
  [
    "pieces that were gone on with",
    [start, piece("One, "), { event: "cut_off" }, piece("two"), { event: "retry" }, piece("three"), killed],
    ["One, three"],
  ],
  [
    "pieces that were gone on with to their end",
    [start, piece("One, "), { event: "cut_off" }, usage, { event: "finish", result: "One, two." }],
    ["One, two."],
  ],
  [
    "an error that the run survives",
    [start, piece("One"), { event: "error", error: "x", terminal: false }, piece(", two"), killed],
    ["One, two"],
  ],
  ["nothing but blanks", [start, piece(" \n"), killed], []],
];

const stamped = (events: EventBody[]): AgentEvent[] =>
  events.map((event, index) => ({ ts: index, agent_id: "1736380800000", seq: index + 1, ...event }));

test.each(cases)("%s: every reader of a run's events says the same", (_, events, said) => {
  const read = { records: [] as HistoryRecord[], ofPage: [] as unknown[] };
  const [unfinished, ofPage] = [new UnfinishedText(), new UnfinishedTextOfPage()];
  const records = new RecordedEvents();
  let lastText: string | null = null;
  const [steps, answer, share] = [new RunSteps(), new AnswerProgress(), new ShareSteps((text) => text)];
  let shown = "";
  using progress = new Progress({ write: (text) => (shown += text) }, {});
  for (const event of stamped(events)) {
    const left = unfinished.apply(event);
    expect(ofPage.apply(event)).toBe(left);
    if (left !== "") read.ofPage.push(recordOfPage("1736380800000", event, left));
    read.records.push(...records.of(event));
    read.ofPage.push(recordOfLine("1736380800000", event, lastText) ?? []);
    if (event.event === "text" && event["partial"] !== true) lastText = String(event["text"]);
    steps.add(event);
    answer.apply(event);
    share.add(event);
    progress.show(event);
  }
  const texts = (records: unknown[]) => records.flatMap((record) => (record as { text?: string } | null)?.text ?? []);
  expect(texts(read.records)).toEqual(said);
  // The page leaves out where in its run a record stands.
  const placeless = read.records.map((record) => ({ ...record, step: undefined, attempt: undefined }));
  expect(read.ofPage.flat()).toEqual(placeless);
  const assistant = fromEvents(stamped(events)).flatMap(({ role, text }) => (role === "assistant" ? (text ?? []) : []));
  expect(assistant.join("")).toBe(said.join(""));
  const [isAnswered, lastSaid] = [events.at(-1)?.event === "finish", said.at(-1)];
  if (!isAnswered) {
    expect(steps.steps.flatMap((step) => (step.kind === "model" ? step.texts : []))).toEqual(said);
    expect(answer.said).toBe(lastSaid ?? "");
    for (const text of said) {
      expect(shown).toContain(text);
      expect(share.steps.map(({ html }) => html).join("")).toContain(text);
    }
  }
});
