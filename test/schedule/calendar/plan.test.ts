import { expect, test } from "vitest";
import type { FacetActivity } from "../../../journal/notes/activity.ts";
import type { Persona, PersonaSettings } from "../../../protocol/settings/persona.ts";
import type { Occurrence } from "../../../schedule/calendar/cron.ts";
import { chooseOccurrence, lastDays, lostDays, planGroup, whyNotDay } from "../../../schedule/calendar/plan.ts";
import { requestFor, saveOfFacet } from "../../../schedule/units/request-for.ts";
import { type Missed, readSchedule, scheduledPersonas } from "../../../schedule/calendar/scheduled.ts";

const at = (text: string) => Date.parse(`${text}Z`);
const persona = (name: string, settings: PersonaSettings, source: Persona["source"] = "journal"): Persona => ({
  name,
  instruction: "Do it.",
  settings,
  source,
  path: `${name}.txt`,
});

test("those that are on go by priority, then by name; built-in ones wait to be turned on, disabled ones never run", () => {
  const personas = [
    persona("b", { schedule: "daily" }),
    persona("a", { schedule: "daily" }),
    persona("last", { schedule: "daily", priority: 60 }),
    persona("first", { schedule: "0 9 * * *", priority: 10 }),
    persona("plain", {}),
    persona("off", { schedule: "daily" }),
    persona("gone", { schedule: "daily", disabled: true }),
    persona("wrong", { schedule: "61 * * * *" }),
    persona("digest", { schedule: "daily", priority: 55 }, "built-in"),
    persona("audit", { schedule: "daily" }, "built-in"),
    persona("notes:digest", { schedule: "daily", priority: 57 }, "app:notes"),
  ];
  const { on, off } = scheduledPersonas(personas, { schedules: { digest: true, off: false, gone: true } });
  expect(on.map(({ name }) => name)).toEqual(["first", "a", "b", "digest", "notes:digest", "last"]);
  expect(off.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
    "audit: off: turn it on with cortex schedule enable audit",
    "gone: the persona is disabled",
    "off: off: turn it on with cortex schedule enable off",
    "wrong: 61 is a invalid expression for minute",
  ]);
});

test.each<[PersonaSettings["missed"], Missed]>([
  [undefined, { kind: "run-once" }],
  ["run-once", { kind: "run-once" }],
  ["skip", { kind: "skip" }],
  ["run-within: 90", { kind: "run-within", ms: 5_400_000 }],
  [{ "run-within": 1.5 }, { kind: "run-within", ms: 90_000 }],
])("missed %j is %j", (missed, expected) => {
  const read = readSchedule(persona("a", missed === undefined ? {} : { missed }), "daily");
  expect(read.missed).toEqual(expected);
});

test.each([
  ["UTC", "2025-01-09T00:00:00", ["20250105", "20250106", "20250107", "20250108"]],
  ["UTC", "2025-01-08T23:59:59", ["20250104", "20250105", "20250106", "20250107"]],
  // Midnight comes twice, and the day is over at the first.
  ["America/Havana", "2025-11-02T04:00:00", ["20251029", "20251030", "20251031", "20251101"]],
  ["America/Havana", "2025-11-02T05:30:00", ["20251029", "20251030", "20251031", "20251101"]],
  // No midnight.
  ["America/Santiago", "2025-09-07T03:59:59", ["20250902", "20250903", "20250904", "20250905"]],
  ["America/Santiago", "2025-09-07T04:00:00", ["20250903", "20250904", "20250905", "20250906"]],
  // One of the days didn't exist.
  ["Pacific/Apia", "2011-12-31T00:00:00", ["20111226", "20111227", "20111228", "20111229"]],
  ["Pacific/Apia", "2011-12-31T12:00:00", ["20111227", "20111228", "20111229", "20111231"]],
])("in %s the last days at %s UTC are %j", (zone, now, days) => {
  expect(lastDays(at(now), zone)).toEqual(days);
});

test("days are lost that ended after the last look and are older than those that are caught up", () => {
  expect(lostDays(at("2025-01-03T12:00"), "20250106", "UTC")).toEqual(["20250103", "20250104", "20250105"]);
  expect(lostDays(at("2025-01-04T00:00"), "20250106", "UTC")).toEqual(["20250104", "20250105"]);
  expect(lostDays(at("2025-01-06T12:00"), "20250106", "UTC")).toEqual([]);
  expect(lostDays(at("2011-12-29T12:00"), "20120101", "Pacific/Apia")).toEqual(["20111229", "20111231"]);
});

test.each<[Missed, string, string | null]>([
  [{ kind: "run-once" }, "2025-01-12T12:00", null],
  [{ kind: "skip" }, "2025-01-09T00:00:50", null],
  [{ kind: "skip" }, "2025-01-09T00:10", "missed by 10 min; its missed days are skipped"],
  [{ kind: "run-within", ms: 7_200_000 }, "2025-01-09T01:59", null],
  [{ kind: "run-within", ms: 7_200_000 }, "2025-01-09T03:00", "missed by 3 h; it runs within 2 h"],
])("%j, the day seen to be over at %s: %s", (missed, seen, reason) => {
  expect(whyNotDay(missed, "20250108", at(seen), "UTC")).toBe(reason);
});

test.each<[Missed, number[], string | null, string[]]>([
  [{ kind: "run-once" }, [], null, []],
  [{ kind: "run-once" }, [300, 200, 100], "100", ["300", "200"]],
  [{ kind: "skip" }, [30, 15, 0], "0", ["30", "15"]],
  [{ kind: "skip" }, [30, 15, 2], null, ["30", "15", "2"]],
  [{ kind: "run-within", ms: 600_000 }, [30, 9], "9", ["30"]],
  [{ kind: "run-within", ms: 600_000 }, [30, 11], null, ["30", "11"]],
])("%j with occurrences due %j min ago runs %j and lets %j go", (missed, ago, run, skipped) => {
  const now = at("2025-01-09T12:00");
  const due = ago.map(
    (minutes): Occurrence => ({ day: "20250109", time: String(minutes), at: now - minutes * 60_000 }),
  );
  const chosen = chooseOccurrence(due, missed, now);
  expect([chosen.run?.time ?? null, chosen.skipped.map(({ time }) => time)]).toEqual([run, skipped]);
  if (skipped.length > 0) expect(chosen.reason).toMatch(/^missed/);
});

const facets: FacetActivity[] = [
  { name: "work", title: "Work", isMuted: false, activity: "silent" },
  { name: "garden", title: "Garden", isMuted: false, activity: "active" },
  { name: "trip", title: "Trip", isMuted: false, activity: "planned" },
  { name: "music", title: "Music", isMuted: true, activity: "active" },
];

test.each<[PersonaSettings, FacetActivity[], (string | null)[], string[]]>([
  [{}, facets, [null], []],
  [{ always: true }, facets, [null], []],
  [
    { multi_facet: true },
    facets,
    ["garden"],
    ["music: the facet is muted", "trip: what was expected on 20250108 hasn't occurred", "work: no events on 20250108"],
  ],
  [{ multi_facet: true, always: true }, facets, ["garden", "trip", "work"], ["music: the facet is muted"]],
  [{ multi_facet: true, always: true }, [], [], ["null: the journal has no facets"]],
])("a persona with %j runs for its facets by name, and each other one has its reason", (own, some, run, skipped) => {
  const group = planGroup(readSchedule(persona("a", own), "daily"), "20250108", some, 7);
  expect(group.facets).toEqual(run);
  expect(group.skipped.map(({ facet, reason }) => `${facet}: ${reason}`)).toEqual(skipped);
});

test.each([
  ["audit.md", "audit.garden.md"],
  ["news/audit.md", "news/audit.garden.md"],
  ["a.b/audit", "a.b/audit.garden"],
  ["audit.tar.gz", "audit.tar.garden.gz"],
])("%s of a facet is %s", (save, expected) => {
  expect(saveOfFacet(save, "garden")).toBe(expected);
});

test("a request says day and facet, and what it saves or hands on is the facet's own", () => {
  const known: Record<string, PersonaSettings> = { reviewer: { save: "review.md" }, mailer: {} };
  const settings: PersonaSettings = {
    save: "audit.md",
    handoff: { persona: "reviewer", handoff: { persona: "mailer", save: "mail/out.txt" } },
  };
  const parts = { settings, facetTitle: "The\ngarden", settingsOf: (name: string) => known[name] };
  const unit = { day: "20250109", time: "night", persona: "audit", facet: "garden" };
  expect(requestFor({ ...parts, unit }, 5)).toEqual({
    ts: 5,
    prompt:
      'Do what your instructions say for the day 20250109, Thursday, 9 January 2025. The facet is garden, "The garden".',
    persona: "audit",
    day: "20250109",
    schedule: "audit",
    facet: "garden",
    save: "audit.garden.md",
    handoff: {
      persona: "reviewer",
      save: "review.garden.md",
      handoff: { persona: "mailer", save: "mail/out.garden.txt" },
    },
  });
  expect(requestFor({ ...parts, unit: { ...unit, time: "0915", facet: null } }, 5)).toEqual({
    ts: 5,
    prompt: "It is 09:15 on Thursday, 9 January 2025 (day 20250109). Do what your instructions say.",
    persona: "audit",
    day: "20250109",
    schedule: "audit",
  });
});
