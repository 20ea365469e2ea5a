/**
 * The units of a day that somebody may ask for: the personas and facets that are named, or why there is nothing to do.
 */
import { messageOf } from "../../files/errors/error-message.ts";
import { readFacet } from "../../journal/notes/facets.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { isDay } from "../../protocol/names/names.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import { readSchedule, type Scheduled } from "../calendar/scheduled.ts";

/** A refused run, and what to do. */
export class ScheduleRefusal extends Error {
  override name = "ScheduleRefusal";
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

/** As they are loaded. */
type LoadedPersonas = {
  personas: ReadonlyMap<string, Persona>;
  problems: readonly { name: string; path: string; error: string }[];
};

/** @throws ScheduleRefusal for what is no day that has come */
export function checkAskedDay(day: string, timeZone: string): string {
  if (!isDay(day)) throw new ScheduleRefusal(`day "${day}": expected a date as YYYYMMDD`, "for example: 20250109");
  if (day > dayOf(Date.now(), timeZone)) throw new ScheduleRefusal(`day ${day}: it hasn't come yet`, "give a past day");
  return day;
}

/** A persona with a schedule, on or off. @throws ScheduleRefusal when there is no such persona, or it has no schedule */
export function scheduledPersona(name: string, { personas, problems }: LoadedPersonas): Persona {
  const persona = personas.get(name);
  const problem = problems.find((one) => one.name === name);
  if (!persona && problem)
    throw new ScheduleRefusal(`persona "${name}" can't be read: ${problem.error}`, `fix ${problem.path}`);
  if (!persona) throw new ScheduleRefusal(`there is no persona "${name}"`, "names: cortex schedule list");
  if (persona.settings.schedule === undefined)
    throw new ScheduleRefusal(
      `persona "${name}" has no schedule`,
      `give it one: cortex schedule set ${name} "every weekday at 7"`,
    );
  return persona;
}

/** A persona that is named runs also when its schedule is off. @throws ScheduleRefusal */
export function namedSchedule(name: string, loaded: LoadedPersonas): Scheduled {
  const persona = scheduledPersona(name, loaded);
  if (persona.settings.disabled)
    throw new ScheduleRefusal(
      `persona "${name}" is disabled`,
      `remove "disabled" from its settings, beside ${persona.path}`,
    );
  try {
    return readSchedule(persona, persona.settings.schedule ?? "");
  } catch (error) {
    throw new ScheduleRefusal(
      `the schedule of persona "${name}" can't be read: ${messageOf(error)}`,
      "see: cortex persona check",
    );
  }
}

/** Picks those that run for a facet. */
export function ofFacet(journal: string, facet: string, scheduled: Scheduled[]): Scheduled[] {
  try {
    readFacet(journal, facet);
  } catch (error) {
    throw new ScheduleRefusal(messageOf(error), "facets are folders of facets/");
  }
  const found = scheduled.filter(({ persona }) => persona.settings.multi_facet === true);
  if (found.length > 0) return found;
  throw new ScheduleRefusal(
    `none of ${scheduled.map(({ name }) => name).join(", ")} is run for facets`,
    'name no facet, or set "multi_facet": true in the persona',
  );
}
