import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activityOn } from "../../../journal/notes/activity.ts";
import { day, temporaryJournal } from "../temporary-journal.ts";

test("a facet is active on a day when one of its events occurred, or doesn't say that it didn't", () => {
  using journal = temporaryJournal();
  const facets: Record<string, string | null> = {
    garden: '{"title":"a","occurred":false}\n{"title":"b"}\n',
    harbor: '{"title":"a","occurred":false}\n',
    music: '{"title":"torn',
    trip: null,
  };
  for (const [name, events] of Object.entries(facets)) {
    mkdirSync(join(journal.path, "facets", name, "events"), { recursive: true });
    writeFileSync(join(journal.path, "facets", name, "facet.json"), JSON.stringify({ muted: name === "music" }));
    if (events !== null) writeFileSync(join(journal.path, "facets", name, "events", `${day}.jsonl`), events);
  }
  const told = activityOn(journal.path, day).map(({ name, isMuted, activity }) => [name, isMuted, activity]);
  expect(told).toEqual([
    ["garden", false, "active"],
    ["harbor", false, "planned"],
    ["music", true, "silent"],
    ["trip", false, "silent"],
  ]);
});
