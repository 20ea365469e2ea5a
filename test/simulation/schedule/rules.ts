/** What the schedule's ledger and cortex promise schedulers; each can be broken, to see that it is missed. */
export type ScheduleRules = {
  /** A lane is changed only from what was seen. */
  lane: boolean;
  /** So is a unit's record. */
  record: boolean;
  /** And a persona's mark. */
  mark: boolean;
  /** What a group does is decided once. */
  decideOnce: boolean;
  /** The same request, asked for by several, is one run. */
  sameOnce: boolean;
};

export const scheduleRules: ScheduleRules = { lane: true, record: true, mark: true, decideOnce: true, sameOnce: true };
