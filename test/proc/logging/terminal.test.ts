import { expect, test } from "vitest";
import { cleaned, ownSequence } from "../../../proc/logging/terminal.ts";

test.each([
  ["one\n\ttwo", "one\n\ttwo"],
  ["a\u001b]52;c;ZXZpbA==\u0007b", "ab"],
  ["a\u001b]52;c;ZXZpbA==\u001b\\b", "ab"],
  ["a\u009d52;c;ZXZpbA==\u009cb", "ab"],
  ["a\u001b[2J\u001b[Hb\u009b31mc", "abc"],
  ["a\u001bPq#0;2\u001b\\b\u001bcc", "abc"],
  ["a\u001b]8;;http://evil\u0007link\u001b]8;;\u0007", "alink"],
  // Without an end nothing is swallowed that somebody should read.
  ["a\u001b]52;c;all of the rest", "a52;c;all of the rest"],
  ["over\rwritten\r\n\u0008\u007f\u0000\u0085x", "overwritten\nx"],
  ["a\u202egnp.exe\u202c \u2066b\u2069\u2028c", "agnp.exe bc"],
  ["żółw 亀 👩‍👩‍👧 \u05d0\u200f", "żółw 亀 👩‍👩‍👧 \u05d0\u200f"],
  ["\u001b", ""],
  ["\u001b\u001b[31m[31m", "[31m"],
])("%j is shown as %j", (text, shown) => {
  expect(cleaned(text)).toBe(shown);
});

test("a text made to take long doesn't", () => {
  const started = process.cpuUsage().user;
  for (const piece of ["\u001b]", "\u009d", "\u001b[", "\u001b[0", "\u001b ", "\u009b"]) cleaned(piece.repeat(500_000));
  // In microseconds. A pattern that went quadratic would need hours.
  expect(process.cpuUsage().user - started).toBeLessThan(20_000_000);
});

test("a sequence of our own is one, where nothing is guarded", () => {
  expect(ownSequence("\u001b[2K", process.stdout)).toBe("\u001b[2K");
});
