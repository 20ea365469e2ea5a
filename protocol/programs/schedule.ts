/** The entries of the ledger of scheduled runs: what was asked, how it ended, what was skipped and why. Kept by `bus/schedule/schedule-ledger.ts`. */
import { z } from "zod";
import { Request } from "../runs/request/request.ts";

/** `night` for the daily runs; else the time of the wall clock, `0915`. */
const Time = z.string().regex(/^(night|\d{4})$/);

/** One run that is due: a day, what of the day, a persona, a facet. Its parts are its key. */
export const Unit = z.object({ day: z.string(), time: Time, persona: z.string(), facet: z.string().nullable() });
export type Unit = z.infer<typeof Unit>;

/** A persona's decision about a day or an occurrence, made when its turn comes. */
export const Group = z.looseObject({
  /** The facets that it runs for, in order; null: not about one. */
  facets: z.array(z.string().nullable()),
  skipped: z.array(z.object({ facet: z.string().nullable(), reason: z.string() })),
  ts: z.number(),
});
export type Group = z.infer<typeof Group>;

/** How a unit stands. Written before its run is asked for. */
export const UnitRecord = z.looseObject({
  state: z.enum(["running", "done", "failed"]),
  attempts: z.number().int(),
  agent_id: z.string(),
  started: z.number(),
  ended: z.number().optional(),
  reason: z.string().optional(),
});
export type UnitRecord = z.infer<typeof UnitRecord>;

/** The one unit that a queue has in hand: all that anybody needs to see it through. */
export const Work = z.looseObject({
  unit: Unit,
  attempt: z.number().int(),
  request: Request,
  /** The wall clock of its run. */
  timeout_seconds: z.number(),
});
export type Work = z.infer<typeof Work>;

/** How far a persona's schedule has been followed. */
export const Cursor = z.looseObject({
  schedule: z.string(),
  /** Since when it is on: nothing that was due before was missed. */
  since: z.number(),
  /** Everything due up to here was decided. */
  until: z.number(),
  /** The occurrence that was chosen to run, the last time that any was due. */
  slot: z.object({ day: z.string(), time: Time }).nullable(),
  /** The last occurrence that was skipped then, and why. Recorded here first, so that a crash loses no reason. */
  skipped: z.object({ day: z.string(), time: Time, reason: z.string() }).optional(),
});
export type Cursor = z.infer<typeof Cursor>;
