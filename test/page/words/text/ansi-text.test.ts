import { expect, test } from "vitest";
import { ansiPieces } from "../../../../page/words/text/ansi-text.ts";

const shown = (text: string) => ansiPieces(text).map(({ text: piece, colour, isBold }) => [piece, colour, isBold]);

test("colours and weights hold until they are taken back", () => {
  expect(shown("a\u001b[31mred\u001b[1m bold\u001b[22;39m plain\u001b[92mgreen\u001b[mend")).toEqual([
    ["a", null, false],
    ["red", "red", false],
    [" bold", "red", true],
    [" plain", null, false],
    ["green", "green", false],
    ["end", null, false],
  ]);
  expect(shown("\u001b[38;5;31mfar\u001b[38;2;31;32;33mfarther\u001b[48;5;41;33myellow")).toEqual([
    ["far", null, false],
    ["farther", null, false],
    ["yellow", "yellow", false],
  ]);
});

test("what moves the cursor, clears the screen or sets a title is left out, and the rest stays", () => {
  expect(shown("\u001b[2J\u001b[10;10Hhere\u001b]0;title\u0007 and \u001b]8;;http://x\u001b\\there")).toEqual([
    ["here", null, false],
    [" and ", null, false],
    ["there", null, false],
  ]);
  expect(shown("half \u001b[31")).toEqual([["half \u001b[31", null, false]]);
});

test("a million sequences are read in one go", () => {
  expect(ansiPieces("\u001b[31mx".repeat(100_000))).toHaveLength(100_000);
  expect(ansiPieces(`\u001b[${"1;".repeat(500_000)}`)).toHaveLength(1);
});
