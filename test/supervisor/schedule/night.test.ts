import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { NightJournal } from "./night-journal.ts";

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
  await using night = await NightJournal.start("America/Havana", "2025-11-01T20:00", personas, { files: facets });
  await night.startScheduler();
  let killed: ChildProcess[] = await Promise.all([night.startScheduler(), night.startScheduler()]);
  night.moveTo("2025-11-02T04:00:01"); // the first midnight
  killed = await replaced(night, killed, { ended: 0, most: 4 });
  const first = ["digest", "letter garden", "audit garden", "audit harbor"].map((name) => `20251101 ${name}`);
  expect(await night.names(4)).toEqual(first);
  night.moveTo("2025-11-02T05:00:01"); // an hour later it is midnight again
  killed = await replaced(night, killed, { ended: 4, most: 5 }); // who starts looks at the clock
  night.moveTo("2025-11-03T05:00:01");
  await replaced(night, killed, { ended: 4, most: 9 });
  const second = ["digest", "letter garden", "letter harbor", "audit garden", "audit harbor"];
  const all = [...first, ...second.map((name) => `20251102 ${name}`)];
  expect(await night.names(9)).toEqual(all);
  const runs = night.runs();
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
  const isAll = async () => !(await night.history()).some((line) => line.includes("running"));
  await night.system.until(isAll, "all is recorded");
  expect(await night.history()).toEqual([...done, ...skipped].toSorted());
});

/**
 * Kills each with -9, whatever it is doing then, and starts another in its place. Resolves with those.
 * @param ended how many runs of the night have ended by then: fewer than `most`
 */
function replaced(
  night: NightJournal,
  schedulers: ChildProcess[],
  { ended, most }: { ended: number; most: number },
): Promise<ChildProcess[]> {
  return Promise.all(
    schedulers.map(async (victim) => {
      await night.names(ended + Math.floor(Math.random() * (most - ended)));
      await delay(Math.random() * 200);
      await night.stopScheduler(victim, "SIGKILL");
      return night.startScheduler();
    }),
  );
}

const daily = (fields = {}) => ({ schedule: "daily", ...fields });

test("six days off: the last four are caught up in order, what is older is told as missed, and what was on since then alone", async () => {
  const personas = { first: daily({ priority: 1 }), second: daily(), choosy: daily({ missed: "skip" }) };
  await using night = await NightJournal.start("Europe/Berlin", "2025-03-26T12:00", personas);
  await night.stopScheduler(await night.startScheduler());
  writeFileSync(join(night.journal, "personas/late.txt"), "Do it.");
  writeFileSync(join(night.journal, "personas/late.json"), '{"schedule":"daily"}');
  night.moveTo("2025-04-01T12:00");
  await night.startScheduler();
  const days = ["20250328", "20250329", "20250330", "20250331"];
  const all = days.flatMap((day) => [`${day} first`, `${day} second`]);
  expect(await night.names(8)).toEqual(all);
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
  await night.system.until(async () => (await night.history()).join() === recorded.join(), recorded.join("\n"));
});

test("what fails is tried again at the next start, three times in all; what hangs costs its own limit; the rest goes on", async () => {
  const personas = {
    failing: daily({ priority: 1, backend: "failing" }),
    hanging: daily({ priority: 2, backend: "endless", timeout_seconds: 0.3 }),
    silent: daily({ priority: 3, backend: "silent" }),
    well: daily({ priority: 4 }),
  };
  await using night = await NightJournal.start("UTC", "2025-01-08T23:59:50", personas);
  await night.stopScheduler(await night.startScheduler());
  night.moveTo("2025-01-09T00:00:30"); // midnight passed while it was starting again
  for (let attempt = 1; attempt <= 4; attempt++) {
    const scheduler = await night.startScheduler();
    const tried = Math.min(attempt, 3);
    const expected = [
      `20250108 failing: failed ${tried} provider: no`,
      `20250108 hanging: failed ${tried} timeout: `,
      `20250108 silent: failed ${tried} empty result`,
      "20250108 well: done 1",
    ];
    const isAsExpected = async () =>
      (await night.history()).map((line) => line.replace(/timeout: .*/, "timeout: ")).join() === expected.join();
    await night.system.until(isAsExpected, expected.join("; "));
    await night.stopScheduler(scheduler);
  }
  const names = night.runs().map(({ name }) => name.slice(9));
  expect(names.slice(0, 4)).toEqual(["failing", "hanging", "silent", "well"]);
  expect(names.slice(4)).toEqual(["failing", "hanging", "silent", "failing", "hanging", "silent"]);
});

test("slots that are missed run once, or are let go, as each persona says; on time they all run", async () => {
  const personas = {
    once: { schedule: "*/15 * * * *" },
    skipping: { schedule: "*/15 * * * *", missed: "skip" },
    within: { schedule: "0 * * * *", missed: "run-within: 20" },
    broken: { schedule: "99 * * * *" },
  };
  await using night = await NightJournal.start("Europe/Berlin", "2025-03-30T00:00:10", personas);
  const scheduler = await night.startScheduler();
  night.moveTo("2025-03-30T00:15:05");
  await night.names(2);
  await night.stopScheduler(scheduler);
  night.moveTo("2025-03-30T01:50:00"); // by the clock it is 03:50, an hour was left out
  await night.startScheduler();
  await night.names(3);
  night.moveTo("2025-03-30T02:00:05");
  await night.names(6);
  const expected = [
    "20250330 0115 once: done 1",
    "20250330 0115 skipping: done 1",
    "20250330 0300 within: missed by 50 min; it runs within 20 min",
    "20250330 0330 once: missed; 20250330 0345 runs instead; with it 4 more, from 20250330 0130",
    "20250330 0345 once: done 1",
    "20250330 0345 skipping: missed by 5 min; its missed slots are skipped; with it 5 more, from 20250330 0130",
    "20250330 0400 once: done 1",
    "20250330 0400 skipping: done 1",
    "20250330 0400 within: done 1",
  ];
  await night.system.until(async () => (await night.history()).join() === expected.join(), expected.join("\n"));
});

test("a scheduler that was asleep while another worked does nothing again when it wakes", async () => {
  const personas = { digest: daily(), watch: { schedule: "0 * * * *" } };
  await using night = await NightJournal.start("UTC", "2025-01-08T23:59:50", personas);
  const sleeper = await night.startScheduler();
  sleeper.kill("SIGSTOP");
  await night.startScheduler();
  night.moveTo("2025-01-09T00:00:05");
  await night.names(2);
  sleeper.kill("SIGCONT");
  night.moveTo("2025-01-09T01:00:05");
  expect((await night.names(3)).toSorted()).toEqual(["20250108 digest", "20250109 watch", "20250109 watch"]);
  const recorded = ["20250108 digest: done 1", "20250109 0000 watch: done 1", "20250109 0100 watch: done 1"];
  await night.system.until(async () => (await night.history()).join() === recorded.join(), recorded.join("\n"));
  expect(night.runs()).toHaveLength(3);
});
