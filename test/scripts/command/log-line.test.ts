import { expect, test } from "vitest";
import { showLogLine } from "../../../scripts/command/layout/log-line.ts";

const look = { timeZone: "Europe/Berlin", programWidth: 9, paint: (_: string, text: string) => text };
const time = Date.UTC(2026, 0, 9, 12, 30, 5, 7);
function show(record: Record<string, unknown> | null, text = ""): string {
  return showLogLine({ program: "cortex", time, text, record }, look);
}

test("a line has its time there, its program, its level and its message", () => {
  expect(show({ level: 30, time, pid: 7, name: "cortex", msg: "ready" })).toBe(
    "2026-01-09 13:30:05.007 cortex    info  ready",
  );
  expect(show({ level: 40, msg: "x" })).toContain("WARN  x");
  expect(show({ level: 60, msg: "x" })).toContain("FATAL x");
});

test("fields come behind the message, an error as its message", () => {
  const err = { type: "Error", message: "no room", stack: "Error: no room\n    at write (a.ts:1:2)" };
  expect(show({ level: 40, msg: "couldn't", agent_id: "1", n: 5, o: { a: 1 }, s: "two words", err })).toContain(
    'couldn\'t: no room agent_id=1 n=5 o={"a":1} s="two words"',
  );
});

test("an error's stack is shown where something failed, and not for a warning", () => {
  const err = { message: "no room", stack: "Error: no room\n    at write (a.ts:1:2)\n    at b" };
  expect(show({ level: 50, msg: "x", err }).split("\n")).toEqual([
    expect.stringContaining("ERROR x: no room"),
    "        at write (a.ts:1:2)",
    "        at b",
  ]);
  expect(show({ level: 40, msg: "x", err })).not.toContain("\n");
});

test("a foreign line is shown as it stands, a level and a time that can't be are no trouble", () => {
  expect(show(null, "Segmentation fault")).toBe("2026-01-09 13:30:05.007 cortex    ?     Segmentation fault");
  expect(show({ level: "high", msg: 7 })).toContain("?     7");
  expect(show({})).toContain("cortex");
  expect(showLogLine({ program: "x", time: 1e300, text: "", record: {} }, look)).toMatch(/^\? +x/);
});

test("a logged text can't move the cursor or forge a line", () => {
  const shown = show({ level: 30, msg: "a\u001b[2J\nb\u2028c\u202ed", "k\ne": "v\u001b" });
  expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});
