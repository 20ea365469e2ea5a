import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { AskedRuns } from "../../../mcp-tools/links/asked-runs.ts";
import { makeJournal } from "../tools-server.ts";

test("a run that was asked for is known after a restart, and a line that is no run isn't", async () => {
  using folder = makeJournal();
  makePrivateFolders(folder.journal);
  const asked = await AskedRuns.open(folder.journal);
  asked.add("1736380800000");
  appendFileSync(join(folder.journal, ".run/asked-runs"), "../evil\n1736380800001\n17363");
  const later = await AskedRuns.open(folder.journal);
  expect(["1736380800000", "1736380800001", "../evil", "17363"].map((id) => later.has(id))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  later.add("1736380800002");
  expect((await AskedRuns.open(folder.journal)).has("1736380800002")).toBe(true);
});

test("of more than ten thousand runs the oldest are forgotten", async () => {
  using folder = makeJournal();
  makePrivateFolders(folder.journal);
  const id = (number: number) => String(1_736_380_800_000 + number);
  const lines = Array.from({ length: 10_001 }, (_, number) => `${id(number)}\n`);
  appendFileSync(join(folder.journal, ".run/asked-runs"), lines.join(""));
  const asked = await AskedRuns.open(folder.journal);
  expect([asked.has(id(0)), asked.has(id(1))]).toEqual([false, true]);
  asked.add(id(10_001));
  expect([asked.has(id(1)), asked.has(id(2)), asked.has(id(10_001))]).toEqual([false, true, true]);
});

test("one that can't be noted is known all the same", async () => {
  using folder = makeJournal();
  const asked = await AskedRuns.open(folder.journal);
  const runtime = join(folder.journal, ".run");
  rmSync(runtime, { recursive: true, force: true });
  writeFileSync(runtime, "no folder");
  asked.add("1736380800000");
  expect(asked.has("1736380800000")).toBe(true);
});
