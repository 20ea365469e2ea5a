/** Rules that are kept for good: they win over those that `cortex.json` had. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keepRules } from "../../../journal/config/keep-rules.ts";
import { readSettings } from "../../../journal/config/settings.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const rule = (tool: string, decide: "allow" | "ask") => ({ tool, decide });
const [allowed, other] = [rule("todo_add", "allow"), rule("bash", "ask")];

test.each([
  ["a new one", [other], [allowed, other]],
  ["one that stood behind one of the opposite", [rule("todo_add", "ask"), allowed], [allowed, rule("todo_add", "ask")]],
  ["the only one", [], [allowed]],
])("%s comes first", async (_, before, after) => {
  using journal = temporaryJournal();
  const path = join(journal.path, "cortex.json");
  writeFileSync(path, JSON.stringify({ permissions: before, max_warm: 0 }));
  await keepRules(journal.path, [allowed]);
  expect(readSettings(journal.path)).toMatchObject({ permissions: after, max_warm: 0 });
  const { mtimeMs, ino } = statSync(path);
  await keepRules(journal.path, [allowed]);
  expect(statSync(path)).toMatchObject({ mtimeMs, ino });
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ permissions: after });
});
