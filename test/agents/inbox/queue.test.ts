import { describe, expect, test } from "vitest";
import { promptOf, recordsOf } from "../../../agents/inbox/format-messages.ts";
import { type NextTurn, nextTurn, type QueueRules } from "../../../agents/inbox/queue.ts";
import type { InboxItem } from "../../../protocol/agents/agent-files.ts";
import type { Channel } from "../../../protocol/agents/channel.ts";

const room: Channel = { type: "alpha", channelId: "room", userId: "ann" };

const said = (id: string, ts: number, more: Partial<InboxItem> = {}): InboxItem => ({
  id,
  ts,
  type: "user",
  text: `text of ${id}`,
  channel: room,
  ...more,
});
const told = (id: string, ts: number, more: Partial<InboxItem> = {}): InboxItem => ({
  id,
  ts,
  type: "system",
  origin: "task:x",
  text: `text of ${id}`,
  ...more,
});
const silent = (id: string, ts: number) => told(id, ts, { silent: true });
const by = (channel: Partial<Channel>) => ({ channel: { ...room, ...channel } });
const byMail = by({ type: "mail", replyTo: "m1" });
const collect = { mode: "collect" } as const;

const rules: QueueRules = { now: 100_000, joinWindowMs: 300, modeOf: ({ mode }) => mode ?? "followup" };

/** The ids of what is taken, or how long it waits. */
function next(items: InboxItem[], more: Partial<QueueRules> = {}): string | number | null {
  const found: NextTurn = nextTurn(items, { ...rules, ...more });
  if (found === null) return null;
  return "items" in found ? found.items.map(({ id }) => id).join(" ") : found.waitMs;
}

const taken: [what: string, items: InboxItem[], ids: string | null][] = [
  ["nothing waits", [], null],
  ["what is silent is no reason for a turn", [silent("s", 0), silent("t", 1)], null],
  ["one message", [said("a", 0)], "a"],
  ["messages of one sender within the window are one", [said("a", 0), said("b", 300), said("c", 600)], "a b c"],
  ["one that came later than the window is a turn of its own", [said("a", 0), said("b", 301)], "a"],
  ["another sender's isn't joined", [said("a", 0), said("b", 1, by({ userId: "bob" }))], "a"],
  ["another channel's isn't joined", [said("a", 0), said("b", 1, by({ channelId: "other" }))], "a"],
  ["another type of channel's isn't joined", [said("a", 0), said("b", 1, by({ type: "beta" }))], "a"],
  ["another thread's isn't joined", [said("a", 0), said("b", 1, by({ replyTo: "t1" }))], "a"],
  ["those of one thread are joined", [said("a", 0, by({ replyTo: "t1" })), said("b", 1, by({ replyTo: "t1" }))], "a b"],
  [
    "somebody else's between two keeps their order",
    [said("a", 0), said("b", 1, by({ userId: "bob" })), said("c", 2)],
    "a",
  ],
  ["a system message is a turn of its own", [told("n", 0), said("a", 1)], "n"],
  ["a system message ends what is joined", [said("a", 0), told("n", 1), said("b", 2)], "a"],
  ["silent ones before it come along", [silent("s", 0), silent("t", 1), said("a", 2)], "s t a"],
  ["also before a system message", [silent("s", 0), told("n", 1)], "s n"],
  ["silent ones between come along", [said("a", 0), silent("s", 1), said("b", 2)], "a s b"],
  ["silent ones behind wait for the next turn", [said("a", 0), said("b", 1), silent("s", 2)], "a b"],
  [
    "silent ones before one that isn't joined wait too",
    [said("a", 0), silent("s", 1), said("b", 2, by({ userId: "bob" }))],
    "a",
  ],
  [
    "what is collected is joined, whoever has said it and when",
    [said("a", 0, collect), said("b", 5000, { ...collect, ...by({ userId: "bob" }) }), said("c", 9000, collect)],
    "a b c",
  ],
  [
    "a mail is a turn of its own, also where the next one of its sender and thread came at once",
    [said("a", 0, byMail), said("b", 0, byMail), said("c", 1, byMail)],
    "a",
  ],
  ["silent ones before a mail come along", [silent("s", 0), said("a", 1, byMail), said("b", 1, byMail)], "s a"],
  [
    "mails are joined where they are to be collected",
    [said("a", 0, { ...collect, ...byMail }), said("b", 9, { ...collect, ...byMail })],
    "a b",
  ],
  ["collecting ends at one that isn't to be collected", [said("a", 0, collect), said("b", 1)], "a"],
  ["collecting ends at a system message", [said("a", 0, collect), told("n", 1), said("b", 2, collect)], "a"],
  ["silent ones are collected along", [said("a", 0, collect), silent("s", 1), said("b", 2, collect)], "a s b"],
];

test.each(taken)("%s", (_, items, ids) => {
  expect(next(items)).toBe(ids);
});

describe("more may come within the window", () => {
  const now = 1000;
  const waits: [what: string, items: InboxItem[], expected: string | number][] = [
    ["a message that has just come waits", [said("a", 1000)], 300],
    ["for what is left of the window", [said("a", 900)], 200],
    ["counted from the last that is joined", [said("a", 750), said("b", 950)], 250],
    ["and no longer", [said("a", 700)], "a"],
    ["one with a time to come waits for no longer than the window", [said("a", 99_000)], 300],
    ["a system message doesn't wait", [told("n", 1000)], "n"],
    ["a mail doesn't wait", [said("a", 1000, byMail)], "a"],
    ["what is collected waits too", [said("a", 100, collect), said("b", 900, collect)], 200],
    ["a silent one makes it no longer", [said("a", 800), silent("s", 999)], 100],
  ];
  test.each(waits)("%s", (_, items, expected) => {
    expect(next(items, { now })).toBe(expected);
  });

  test("without a window nothing waits, and only what came in the same ms is joined", () => {
    expect(next([said("a", 1000), said("b", 1000), said("c", 1001)], { now, joinWindowMs: 0 })).toBe("a b");
  });
});

describe("what stands in the history", () => {
  test("joined messages are one, with the texts in order, the first's id and the last's time", () => {
    expect(recordsOf([said("a", 1), said("b", 2), said("c", 3)])).toEqual([
      {
        type: "user",
        id: "a",
        ts: 3,
        text: "[channel: alpha | id: room]\ntext of a\ntext of b\ntext of c",
        items: ["a", "b", "c"],
        channel: room,
      },
    ]);
  });

  test("messages of several senders, and silent ones between them, stay separate", () => {
    const items = [said("a", 1), said("b", 2, by({ userId: "bob" })), silent("s", 3), said("c", 4)];
    expect(recordsOf(items).map(({ id, type }) => `${type} ${id}`)).toEqual(["user a", "user b", "system s", "user c"]);
  });

  test("a system message says where it comes from, and that it was silent", () => {
    expect(recordsOf([silent("s", 3)])).toEqual([
      {
        type: "system",
        id: "s",
        ts: 3,
        origin: "task:x",
        silent: true,
        text: '<system_message origin="task:x">text of s</system_message>',
      },
    ]);
  });

  test("an attachment is a line below its message, whatever it is called", () => {
    const attachments = [
      { name: "plan.pdf", type: "application/pdf", size: 12, path: "/tmp/plan.pdf" },
      { name: "a\nb]" },
    ];
    const [record] = recordsOf([said("a", 1, { attachments }), said("b", 2)]);
    expect(record).toMatchObject({
      text: [
        "[channel: alpha | id: room]",
        "text of a",
        "[attachment: plan.pdf (application/pdf, 12 bytes), stored at /tmp/plan.pdf]",
        "[attachment: a b]]",
        "text of b",
      ].join("\n"),
    });
  });

  test("the model reads what stands there, one below the other", () => {
    const records = recordsOf([silent("s", 1), said("a", 2)]);
    expect(promptOf(records)).toBe(
      '<system_message origin="task:x">text of s</system_message>\n\n[channel: alpha | id: room]\ntext of a',
    );
  });
});
