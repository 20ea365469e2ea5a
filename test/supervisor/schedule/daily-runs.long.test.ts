import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { ScheduleJournal } from "./schedule-journal.ts";

const facet = (fields = {}) => JSON.stringify({ title: "A facet", ...fields });
const happened = (occurred = true) => `${JSON.stringify({ title: "It happened", occurred })}\n`;

const facets = {
  "facets/garden/facet.json": facet({ title: "Garden" }),
  "facets/garden/events/20251101.jsonl": happened(),
  "facets/garden/events/20251102.jsonl": happened(),
  "facets/harbor/facet.json": facet(),
  "facets/harbor/events/20251101.jsonl": happened(false),
  "facets/harbor/events/20251102.jsonl": happened(),
  "facets/music/facet.json": facet({ muted: true }),
  "facets/music/events/20251101.jsonl": happened(),
};

test("three schedulers over two midnights, one of which comes twice, two of them killed again and again: each unit once, in order", async () => {
  const personas = {
    digest: { backend: "slow", schedule: "daily", priority: 40, save: "digest.md" },
    audit: { backend: "slow", schedule: "daily", priority: 60, multi_facet: true, always: true, save: "audit.md" },
    letter: { backend: "slow", schedule: "daily", multi_facet: true, save: "letter.md" },
    never: { schedule: "daily", disabled: true },
    asked: {},
  };
  await using schedule = await ScheduleJournal.start("America/Havana", "2025-11-01T20:00", personas, { files: facets });
  await schedule.startScheduler();
  let killed: ChildProcess[] = await Promise.all([schedule.startScheduler(), schedule.startScheduler()]);
  schedule.moveTo("2025-11-02T04:00:01"); // the first midnight
  killed = await replaced(schedule, killed, { ended: 0, most: 4 });
  const first = ["digest", "letter garden", "audit garden", "audit harbor"].map((name) => `20251101 ${name}`);
  expect(await schedule.names(4)).toEqual(first);
  schedule.moveTo("2025-11-02T05:00:01"); // an hour later it is midnight again
  killed = await replaced(schedule, killed, { ended: 4, most: 5 }); // who starts looks at the clock
  schedule.moveTo("2025-11-03T05:00:01");
  await replaced(schedule, killed, { ended: 4, most: 9 });
  const second = ["digest", "letter garden", "letter harbor", "audit garden", "audit harbor"];
  const all = [...first, ...second.map((name) => `20251102 ${name}`)];
  expect(await schedule.names(9)).toEqual(all);
  const runs = schedule.runs();
  for (const [index, { began }] of runs.entries()) expect(began).toBeGreaterThanOrEqual(runs[index - 1]?.ended ?? 0);
  expect(runs[1]?.request).toMatchObject({
    day: "20251101",
    facet: "garden",
    save: "letter.garden.md",
    prompt:
      'Do what your instructions say for the day 20251101, Saturday, 1 November 2025. The facet is garden, "Garden".',
  });
  const done = all.map((name) => `${name}: done 1`);
  const skipped = [
    "20251101 audit music: the facet is muted",
    "20251101 letter harbor: what was expected on 20251101 hasn't occurred",
    "20251101 letter music: the facet is muted",
    "20251102 audit music: the facet is muted",
    "20251102 letter music: the facet is muted",
  ];
  const isAll = async () => !(await schedule.history()).some((line) => line.includes("running"));
  await schedule.system.until(isAll, "all is recorded");
  expect(await schedule.history()).toEqual([...done, ...skipped].toSorted());
});

/**
 * Kills each with -9, whatever it is doing then, and starts another in its place. Resolves with those.
 * @param ended how many daily runs have ended by then: fewer than `most`
 */
function replaced(
  schedule: ScheduleJournal,
  schedulers: ChildProcess[],
  { ended, most }: { ended: number; most: number },
): Promise<ChildProcess[]> {
  return Promise.all(
    schedulers.map(async (victim) => {
      await schedule.names(ended + Math.floor(Math.random() * (most - ended)));
      await delay(Math.random() * 200);
      await schedule.stopScheduler(victim, "SIGKILL");
      return schedule.startScheduler();
    }),
  );
}

const daily = (fields = {}) => ({ schedule: "daily", ...fields });

test("six days off: the last four are caught up in order, what is older is told as missed, and what was on since then alone", async () => {
  const personas = { first: daily({ priority: 1 }), second: daily(), choosy: daily({ missed: "skip" }) };
  await using schedule = await ScheduleJournal.start("Europe/Berlin", "2025-03-26T12:00", personas);
  await schedule.stopScheduler(await schedule.startScheduler());
  writeFileSync(join(schedule.journal, "personas/late.txt"), "Do it.");
  writeFileSync(join(schedule.journal, "personas/late.json"), '{"schedule":"daily"}');
  schedule.moveTo("2025-04-01T12:00");
  await schedule.startScheduler();
  const days = ["20250328", "20250329", "20250330", "20250331"];
  const all = days.flatMap((day) => [`${day} first`, `${day} second`]);
  expect(await schedule.names(8)).toEqual(all);
  const lost = "missed: the last 4 days are caught up, and it is older; with it 1 more, from 20250326";
  // One of the days had an hour less.
  const skipped = [85, 61, 38, 14].map(
    (hours, index) => `${days[index]} choosy: missed by ${hours} h; its missed days are skipped`,
  );
  const expected = [
    ...all.map((name) => `${name}: done 1`),
    ...["choosy", "first", "second"].map((name) => `20250327 ${name}: ${lost}`),
  ];
  const recorded = [...expected, ...skipped].toSorted();
  await schedule.system.until(async () => (await schedule.history()).join() === recorded.join(), recorded.join("\n"));
  expect(await schedule.history()).toEqual(recorded);
});

test("a failed run is tried again at the next start, three times in all; a hanging one costs its own limit; the rest goes on", async () => {
  const personas = {
    failing: daily({ priority: 1, backend: "failing" }),
    hanging: daily({ priority: 2, backend: "endless", timeout_seconds: 0.3 }),
    silent: daily({ priority: 3, backend: "silent" }),
    well: daily({ priority: 4 }),
  };
  await using schedule = await ScheduleJournal.start("UTC", "2025-01-08T23:30", personas);
  await schedule.stopScheduler(await schedule.startScheduler());
  schedule.moveTo("2025-01-09T00:00:30"); // midnight passed while it was starting again
  for (let attempt = 1; attempt <= 4; attempt++) {
    const scheduler = await schedule.startScheduler();
    const tried = Math.min(attempt, 3);
    const expected = [
      `20250108 failing: failed ${tried} provider: no`,
      `20250108 hanging: failed ${tried} timeout: `,
      `20250108 silent: failed ${tried} empty result`,
      "20250108 well: done 1",
    ];
    const isAsExpected = async () =>
      (await schedule.history()).map((line) => line.replace(/timeout: .*/, "timeout: ")).join() === expected.join();
    await schedule.system.until(isAsExpected, expected.join("; "));
    await schedule.stopScheduler(scheduler);
  }
  const names = schedule.runs().map(({ name }) => name.slice(9));
  expect(names.slice(0, 4)).toEqual(["failing", "hanging", "silent", "well"]);
  expect(names.slice(4)).toEqual(["failing", "hanging", "silent", "failing", "hanging", "silent"]);
});

test("missed occurrences run once, or are skipped, as each persona says; on time they all run", async () => {
  const personas = {
    once: { schedule: "*/15 * * * *" },
    skipping: { schedule: "*/15 * * * *", missed: "skip" },
    within: { schedule: "0 * * * *", missed: "run-within: 20" },
    broken: { schedule: "99 * * * *" },
  };
  await using schedule = await ScheduleJournal.start("Europe/Berlin", "2025-03-30T00:00:10", personas);
  const scheduler = await schedule.startScheduler();
  schedule.moveTo("2025-03-30T00:15:05");
  await schedule.names(2);
  await schedule.stopScheduler(scheduler);
  schedule.moveTo("2025-03-30T01:50:00"); // by the clock it is 03:50, an hour was left out
  await schedule.startScheduler();
  await schedule.names(3);
  schedule.moveTo("2025-03-30T02:00:05");
  await schedule.names(6);
  const expected = [
    "20250330 0115 once: done 1",
    "20250330 0115 skipping: done 1",
    "20250330 0300 within: missed by 50 min; it runs within 20 min",
    "20250330 0330 once: missed; 20250330 0345 runs instead; with it 4 more, from 20250330 0130",
    "20250330 0345 once: done 1",
    "20250330 0345 skipping: missed by 5 min; its missed occurrences are skipped; with it 5 more, from 20250330 0130",
    "20250330 0400 once: done 1",
    "20250330 0400 skipping: done 1",
    "20250330 0400 within: done 1",
  ];
  await schedule.system.until(async () => (await schedule.history()).join() === expected.join(), expected.join("\n"));
});

test("a scheduler that was asleep while another worked does nothing again when it wakes", async () => {
  const personas = { digest: daily(), watch: { schedule: "0 * * * *" } };
  await using schedule = await ScheduleJournal.start("UTC", "2025-01-08T23:30", personas);
  const sleeper = await schedule.startScheduler();
  sleeper.kill("SIGSTOP");
  await schedule.startScheduler();
  schedule.moveTo("2025-01-09T00:00:05");
  await schedule.names(2);
  sleeper.kill("SIGCONT");
  schedule.moveTo("2025-01-09T01:00:05");
  expect((await schedule.names(3)).toSorted()).toEqual(["20250108 digest", "20250109 watch", "20250109 watch"]);
  const recorded = ["20250108 digest: done 1", "20250109 0000 watch: done 1", "20250109 0100 watch: done 1"];
  await schedule.system.until(async () => (await schedule.history()).join() === recorded.join(), recorded.join("\n"));
  expect(schedule.runs()).toHaveLength(3);
});
