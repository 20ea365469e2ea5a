import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkWords } from "../../tools/words.ts";
import { temporaryJournal } from "../journal/temporary-journal.ts";

/** The problems of a repository that holds this one file. */
function problemsOf(path: string, text: string): string[] {
  using folder = temporaryJournal();
  mkdirSync(dirname(join(folder.path, path)), { recursive: true });
  writeFileSync(join(folder.path, path), text);
  return checkWords(folder.path).problems;
}

test("a name or a phrase that was replaced is found, with its place and what stands for it", () => {
  expect(problemsOf("cortex/last-word.ts", "export {};\n/** From the contract. */\n")).toEqual([
    "cortex/last-word.ts: this name has become finish",
    'cortex/last-word.ts:2: "from the contract": write docs/contract.md',
  ]);
  expect(problemsOf("cortex/README.md", "# cortex\n")).toEqual([]);
});

test.each([
  ["page/views/owed.tsx", "pending-finalization"],
  ["cortex/reception.ts", "intake"],
  ["cortex/day-book.ts", "daily-usage"],
  ["mcp-tools/outside-server.ts", "external-server"],
  ["test/proc/peer.ts", "stdio-process"],
  ["bench/rows/hangup.ts", "reload-signal"],
  ["test/cortex/early-words.long.test.ts", "pending-controls"],
  ["cortex/standing.ts", "deduplication"],
])("the name of %s is found", (path, now) => {
  expect(problemsOf(path, "export {};\n")).toEqual([`${path}: this name has become ${now}`]);
});

test.each([
  ["the trials", "docs/performance.md, or the measured number"],
  ["what becomes of times that were slept through", "how missed runs are handled"],
  ["last word", "terminal event, or the latest line"],
  ["nothing is left of max_", "… is exhausted"],
  ["shared out", "PSS, or divided among"],
  ["last good settings hold", "keeping the previous settings"],
  ["outside servers", "external server"],
  ["durable point", "failpoint"],
  ["early words", "pending controls"],
  ["day book", "daily usage"],
  ["spending board", "usage store"],
  ["kept program", "supervised program"],
  ["stray output", "captured stderr"],
  ["mend the bus", "rebuild streams"],
  ["is no month", "is not a …"],
])("the phrase %s is found", (phrase, now) => {
  const line = phrase.endsWith("_") ? `${phrase}turns` : phrase;
  expect(problemsOf("docs/page.md", `One line.\nHere ${line} stands.\n`)).toEqual([
    `docs/page.md:2: "${phrase}": write ${now}`,
  ]);
});

test.each(["What", "Whatever", "Who", "Whoever", "Whose", "Whom", "Of", "Those", "That which"])(
  "a doc comment that begins with %s is found, in one line or several, in tests as in sources",
  (word) => {
    const problem = `a doc comment begins with "${word}": begin with a noun or a verb`;
    expect(problemsOf("page/a.tsx", `export {};\n/** ${word} it is. */\n`)).toEqual([`page/a.tsx:2: ${problem}`]);
    expect(problemsOf("test/a.test.ts", `/**\n * ${word} it is.\n */\n`)).toEqual([`test/a.test.ts:2: ${problem}`]);
    expect(problemsOf("bench/a.ts", `/** The thing. ${word} it is. */\n/* ${word} it is. */\n`)).toEqual([]);
  },
);

test("a conflict that nobody resolved is found", () => {
  using folder = temporaryJournal();
  writeFileSync(join(folder.path, "README.md"), `# here\n${"<".repeat(7)} HEAD\none\n`);
  expect(checkWords(folder.path).problems).toEqual(["README.md: an unresolved conflict"]);
});

test("the sources and pages of this repository have none", () => {
  const { problems, files } = checkWords(fileURLToPath(new URL("../..", import.meta.url)));
  expect(problems).toEqual([]);
  expect(files).toBeGreaterThan(500);
});
