import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import {
  readToolCatalog,
  toolProblems,
  type ToolSource,
  writeToolCatalog,
} from "../../../journal/programs/tool-catalog.ts";

const journal = mkdtempSync(join(tmpdir(), "catalog-"));
afterAll(() => rmSync(journal, { recursive: true }));

const good: ToolSource = { name: "good", kind: "server", state: "ready", error: null, tools: ["good.x"], problems: [] };

test("a written catalogue is read; without one, or with a torn one, there are no sources", async () => {
  expect(await readToolCatalog(journal)).toEqual({ sources: [] });
  await writeToolCatalog(journal, { sources: [good] });
  expect(await readToolCatalog(journal)).toEqual({ sources: [good] });
  writeFileSync(join(journal, ".run/tools.json"), '{"sources": [');
  expect(await readToolCatalog(journal)).toEqual({ sources: [] });
});

test("problems are those that fail, and what of others can't be used", () => {
  const failed: ToolSource = { ...good, name: "gone", state: "failed", error: "out of paper" };
  const partly: ToolSource = { ...good, name: "app", kind: "app", problems: ["a.ts is left out"] };
  const coming: ToolSource = { ...good, state: "connecting", error: "it fell" };
  expect(toolProblems({ sources: [good, failed, partly, coming] })).toEqual([
    'server "gone": out of paper',
    'app "app": a.ts is left out',
  ]);
});
