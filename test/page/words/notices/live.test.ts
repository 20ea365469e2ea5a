import { expect, test } from "vitest";
import { backWords, cutOffWords } from "../../../../page/words/notices/live.ts";

test("a page that is back says after how long, and what came meanwhile", () => {
  expect(backWords(48_000, 31, true)).toBe("Back after 48 s. 31 events came meanwhile; nothing is missing.");
  expect(backWords(300, 1, true)).toBe("Back after 1 s. 1 event came meanwhile; nothing is missing.");
  expect(backWords(240_000, 0, true)).toBe("Back after 4 min. Nothing came meanwhile; nothing is missing.");
  expect(backWords(4 * 3_600_000, 9, false)).toBe("Back after 4 h. Everything was read again.");
});

test("a page that is cut off says since when", () => {
  expect(cutOffWords(new Date(2025, 0, 20, 9, 41, 12).getTime())).toBe("Not connected since 09:41:12.");
});
