/** Which facets something happened in on a day. */
import { eventsOf, listFacets } from "./facets.ts";

/** A facet as a day left it. `planned`: all that is written of that day was expected, and nothing happened. */
export type FacetActivity = {
  name: string;
  title: string;
  isMuted: boolean;
  activity: "active" | "planned" | "silent";
};

/** All facets of a journal on a day, in order of their names. */
export function activityOn(journal: string, day: string): FacetActivity[] {
  return listFacets(journal).map(({ name, title, muted }) => {
    const events = eventsOf(journal, name, day);
    const activity = events.some(({ record }) => record.occurred) ? "active" : events.length > 0 ? "planned" : "silent";
    return { name, title, isMuted: muted, activity };
  });
}
