import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkWords } from "../../tools/words.ts";
import { temporaryJournal } from "../journal/temporary-journal.ts";

test("a name or a phrase that was replaced is found, with its place and what stands for it", () => {
  using folder = temporaryJournal();
  mkdirSync(join(folder.path, "cortex"));
  writeFileSync(join(folder.path, "cortex/last-word.ts"), "export {};\n/** From the contract. */\n");
  writeFileSync(join(folder.path, "cortex/README.md"), "# cortex\n");
  expect(checkWords(folder.path)).toEqual({
    files: 2,
    problems: [
      "cortex/last-word.ts: this name has become finish",
      'cortex/last-word.ts:2: "from the contract": write docs/contract.md',
    ],
  });
});

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
