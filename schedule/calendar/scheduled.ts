/** Which personas are scheduled, and how: what their settings and the journal's say. Pure. */
import { messageOf } from "../../files/errors/error-message.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { type Cron, parseCron } from "./cron.ts";

/** How missed occurrences are handled: skipped, one run of the last of them, or that run if it isn't too old. */
export type Missed = { kind: "skip" } | { kind: "run-once" } | { kind: "run-within"; ms: number };

export type Scheduled = {
  name: string;
  persona: Persona;
  /** Its schedule as written. */
  schedule: string;
  /** Null: daily. */
  cron: Cron | null;
  priority: number;
  missed: Missed;
};

/** A persona that has a schedule and isn't run by it, and why. */
export type Unscheduled = { name: string; persona: Persona; schedule: string; reason: string };

/** From docs/contract.md. */
const defaultPriority = 50;

/** All personas that have a schedule, in the order of the daily runs: by priority, then by name. */
export function scheduledPersonas(personas: Persona[], settings: Settings): { on: Scheduled[]; off: Unscheduled[] } {
  const [on, off]: [Scheduled[], Unscheduled[]] = [[], []];
  for (const persona of personas) {
    const { name, settings: own } = persona;
    const { schedule } = own;
    if (schedule === undefined) continue;
    const reason = whyOff(persona, settings);
    if (reason !== null) off.push({ name, persona, schedule, reason });
    else
      try {
        on.push(readSchedule(persona, schedule));
      } catch (error) {
        off.push({ name, persona, schedule, reason: messageOf(error) });
      }
  }
  return { on: on.toSorted(byTurn), off: off.toSorted(byName) };
}

/** @throws Error when the expression isn't one */
export function readSchedule(persona: Persona, schedule: string): Scheduled {
  return {
    name: persona.name,
    persona,
    schedule,
    cron: schedule === "daily" ? null : parseCron(schedule),
    priority: persona.settings.priority ?? defaultPriority,
    missed: readMissed(persona),
  };
}

function whyOff({ name, source, settings: own }: Persona, { schedules }: Settings): string | null {
  if (own.disabled) return "the persona is disabled";
  const isOn = schedules?.[name] ?? source !== "built-in";
  return isOn ? null : `off: turn it on with cortex schedule enable ${name}`;
}

function readMissed({ settings: { missed = "run-once" } }: Persona): Missed {
  if (missed === "skip" || missed === "run-once") return { kind: missed };
  const minutes = typeof missed === "string" ? Number(missed.split(":")[1]) : missed["run-within"];
  return { kind: "run-within", ms: minutes * 60_000 };
}

function byTurn(a: Scheduled, b: Scheduled): number {
  return a.priority - b.priority || byName(a, b);
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
