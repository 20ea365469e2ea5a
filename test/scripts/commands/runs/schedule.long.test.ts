import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryJournal } from "../../../journal/temporary-journal.ts";
import { ScheduleJournal } from "../../../supervisor/schedule/schedule-journal.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

type Row = Record<string, unknown>;

test("a day is run when it is asked for: what was done is refused, what failed three times too, and --force runs both", async () => {
  const personas = {
    digest: { schedule: "daily", priority: 1, save: "digest.md" },
    audit: { schedule: "daily", multi_facet: true, always: true, save: "audit.md" },
    watch: { schedule: "0 9 * * *", backend: "failing" },
  };
  const files = {
    "facets/garden/facet.json": '{"title":"Garden"}',
    "facets/music/facet.json": '{"title":"Music","muted":true}',
  };
  await using schedule = await ScheduleJournal.start("UTC", "2025-01-09T12:00", personas, { files });
  const { journal } = schedule;
  const run = (...args: string[]) => runCortex(journal, ["schedule", "run", "--day", "20250108", ...args]);

  const first = await run();
  expect([first.code, first.stdout]).toEqual([0, ""]);
  expect(first.stderr.replaceAll(/run \d+/g, "run ID").split("\n")).toEqual([
    "… 20250108 digest (run ID)",
    "✓ 20250108 digest (run ID)",
    "… 20250108 audit garden (run ID)",
    "✓ 20250108 audit garden (run ID)",
    "- 20250108 audit music: the facet is muted",
  ]);
  expect(readFileSync(join(journal, "20250108/audit.garden.md"), "utf8")).toBe("done\n");

  const again = await run("--persona", "digest");
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining("done before, run 1")]);
  const forced = await run("--persona", "digest", "--force", "--json");
  expect(forced.code).toBe(0);
  expect(JSON.parse(forced.stdout)).toMatchObject({
    ok: true,
    day: "20250108",
    units: [{ persona: "digest", facet: null, state: "done", ran: true, attempts: 2 }],
  });

  for (const attempt of [1, 2, 3]) {
    const failed = await run("--persona", "watch");
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("✗ 20250108 watch (run")]);
    expect(failed.stderr.includes(`attempt ${attempt}`)).toBe(attempt > 1);
  }
  const exhausted = await run("--persona", "watch");
  expect([exhausted.code, exhausted.stderr]).toEqual([
    1,
    "✗ 20250108 watch: failed 3 times, the maximum is 3; to run it again: --force",
  ]);

  const { document } = await runCortexJson(journal, ["schedule", "list"], { CORTEX_TZ: "UTC" });
  const rows = document["schedules"] as Row[];
  expect(rows.find(({ persona }) => persona === "audit")).toMatchObject({
    on: true,
    facets: "all",
    last: { day: "20250108", time: null },
    result: "done",
    missed: 0,
    when_missed: "run-once",
    next: expect.stringMatching(/T00:00:00.000Z$/) as string,
  });
  expect(rows.find(({ persona }) => persona === "watch")).toMatchObject({ result: "failed", schedule: "0 9 * * *" });
  expect(rows.find(({ persona }) => persona === "daily-digest")).toMatchObject({ on: false, next: null, last: null });
  const history = await runCortexJson(journal, ["schedule", "history", "--day", "20250108"]);
  const told = (history.document["history"] as Row[]).map(({ persona, facet, state }) => [persona, facet, state]);
  expect(told).toHaveLength(4);
  expect(told[0]).toEqual(["watch", null, "failed"]);
  expect(told).toContainEqual(["audit", "music", "skipped"]);
  expect((await runCortex(journal, ["schedule", "list"])).stdout).toMatch(/^PERSONA +SCHEDULE +FACETS +NEXT/);
});

test("schedules are turned on and off in cortex.json, of which everything else stays", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "cortex.json");
  const settings = () => JSON.parse(readFileSync(path, "utf8")) as Row;
  expect(await runCortex(journal.path, ["schedule", "enable", "daily-digest"])).toMatchObject({
    code: 0,
    stdout: "the schedule of daily-digest (daily) is on",
  });
  expect(settings()).toEqual({ schedules: { "daily-digest": true } });
  writeFileSync(
    path,
    '{"labels": ["a"], "schedules": {"daily-digest": true, "x": false}, "default_backend": "offline"}',
  );
  expect((await runCortex(journal.path, ["schedule", "disable", "daily-digest"])).code).toBe(0);
  const changed = { labels: ["a"], schedules: { "daily-digest": false, x: false }, default_backend: "offline" };
  expect(readFileSync(path, "utf8")).toBe(`${JSON.stringify(changed, null, 2)}\n`);
  writeFileSync(path, "{ torn");
  const refused = await runCortex(journal.path, ["schedule", "enable", "daily-digest"]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("not JSON")]);
  expect(readFileSync(path, "utf8")).toBe("{ torn");
});

test.each([
  [["run", "--day", "20250230"], 2, '--day "20250230": expected a date'],
  [["run", "--day", "20250108"], 2, "no daily schedule is on"],
  [["run", "--day", "20250108", "--persona", "nobody"], 2, 'there is no persona "nobody"'],
  [["run", "--day", "20250108", "--persona", "reviewer"], 2, 'persona "reviewer" has no schedule'],
  [["run", "--day", "20250108", "--persona", "facet-auditor", "--facet", "../x"], 2, 'no facet "../x"'],
  [["run", "--day", "20250108", "--persona", "daily-digest"], 69, "no bus"],
  [["toString"], 2, 'unknown action "toString"'],
  [["month", "202513"], 2, '"202513" is not a month'],
  [["explain", "now and then"], 2, "isn't understood"],
  [["set", "reviewer"], 2, "expected a persona and when it runs"],
  [["set", "nobody", "every day at 7"], 2, 'there is no persona "nobody"'],
])("schedule %j: exit %i, %s", async (args, code, message) => {
  using journal = temporaryJournal();
  const ran = await runCortex(journal.path, ["schedule", ...args]);
  expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
});

test("a schedule is explained, set in words, listed, and shown in its month", async () => {
  using journal = temporaryJournal();
  const run = async (...args: string[]) => (await runCortexJson(journal.path, ["schedule", ...args])).document;
  expect(await run("explain", "every", "weekday", "at", "7")).toMatchObject({
    schedule: "0 7 * * 1-5",
    words: "Every weekday at 07:00",
    next: expect.objectContaining({ length: 5 }),
  });
  expect(await run("set", "reviewer", "every day at 23:59")).toMatchObject({ ok: true, schedule: "59 23 * * *" });
  const { schedules } = (await run("list")) as { schedules: { persona: string; schedule: string; on: boolean }[] };
  expect(schedules).toContainEqual(expect.objectContaining({ persona: "reviewer", schedule: "59 23 * * *", on: true }));
  const { days } = (await run("month", "209901")) as { days: { cells: object[] }[] };
  expect(days[30]?.cells).toEqual([expect.objectContaining({ persona: "reviewer", times: ["2359"], upcoming: 1 })]);
  expect(await run("set", "reviewer", "never")).toEqual({ ok: true, persona: "reviewer" });
});

test("the schedules are listed without a bus all the same", async () => {
  using journal = temporaryJournal();
  const { code, stdout, stderr } = await runCortex(journal.path, ["schedule", "list"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("nothing runs here")]);
  expect(stdout).toMatch(
    /daily-digest +daily +no +off +- +- +\? +off: turn it on with cortex schedule enable daily-digest/,
  );
});
