import { expect, test } from "vitest";
import { repair } from "../../conversation/repair.ts";
import type { Message } from "../../protocol/runs/run-config.ts";

const calls = (...ids: string[]): Message => ({
  role: "assistant",
  calls: ids.map((call_id) => ({ call_id, tool: "t", args: {} })),
});
const result = (call_id: string, text = call_id): Message => ({ role: "tool", call_id, result: text });
const user: Message = { role: "user", text: "hm" };

test("something between a call and its result is moved behind it", () => {
  expect(repair([calls("a"), user, result("a")])).toEqual([calls("a"), result("a"), user]);
});

test("a result before its call doesn't count", () => {
  const repaired = repair([result("a", "too early"), calls("a")]);
  expect(repaired).toEqual([
    calls("a"),
    expect.objectContaining({ call_id: "a", result: { cancelled: true, reason: "process restarted" } }),
  ]);
});

test("a result belongs to the last call of its id: an earlier one that was lost stays lost", () => {
  const [, lost, , own] = repair([calls("a"), calls("a"), result("a")]);
  expect([lost?.result, own?.result]).toEqual([{ cancelled: true, reason: "process restarted" }, "a"]);
});

test("a call that is repeated within a message is one call", () => {
  expect(repair([calls("a", "a"), result("a")])).toEqual([calls("a"), result("a")]);
});

test("a repeated id is renamed, and not to one that somebody else has", () => {
  const repaired = repair([
    calls("a"),
    result("a", "1"),
    calls("a"),
    result("a", "2"),
    calls("a-2"),
    result("a-2", "3"),
  ]);
  expect(repaired).toEqual([
    calls("a"),
    result("a", "1"),
    calls("a-3"),
    result("a-3", "2"),
    calls("a-2"),
    result("a-2", "3"),
  ]);
});

test("a message of the user can't bring calls in", () => {
  expect(repair([{ ...calls("a"), role: "user", text: "hm" }, result("a")])).toEqual([user]);
});

test("a message without text or calls is left out, also when it has reasoning", () => {
  expect(
    repair([
      { role: "assistant" },
      { role: "assistant", text: " " },
      { role: "assistant", reasoning: [{ opaque: 1 }] },
    ]),
  ).toEqual([]);
});

test("whatever the conversation was, it is well-formed afterwards, and a second repair changes nothing", () => {
  const random = dice(7);
  for (let round = 0; round < 2_000; round++) {
    const messages = Array.from({ length: random(12) }, () => anyMessage(random));
    const once = repair(messages);
    expect(repair(once)).toEqual(once);
    expect(isWellFormed(once), JSON.stringify(messages)).toBe(true);
  }
});

/** Every call has its one result right behind its message, in order, and no id is used twice. */
function isWellFormed(messages: Message[]): boolean {
  const due: string[] = [];
  const seen = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (message.call_id !== due.shift()) return false;
    } else {
      if (due.length > 0) return false;
      for (const { call_id } of message.calls ?? []) {
        if (seen.has(call_id)) return false;
        seen.add(call_id);
        due.push(call_id);
      }
    }
  }
  return due.length === 0;
}

function anyMessage(random: (below: number) => number): Message {
  const id = () => ["", "a", "b", "a-2", "call", "call-2"][random(6)] ?? "";
  switch (random(4)) {
    case 0:
      return { role: "user", text: random(4) === 0 ? "" : "hm" };
    case 1:
      return random(5) === 0 ? { role: "tool", result: "whose?" } : result(id(), String(random(100)));
    case 2:
      return { ...calls(...Array.from({ length: random(4) }, id)), ...(random(2) === 0 && { text: "so" }) };
    default:
      return { role: "assistant", text: "so", reasoning: [{ opaque: 1 }] };
  }
}

/** The same numbers each time (mulberry32). */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}
