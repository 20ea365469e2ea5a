/** The promises of the schedule's ledger and of cortex to schedulers; each can be broken, to see that it is missed. */
export type ScheduleRules = {
  /** A queue is changed only from what was seen. */
  queue: boolean;
  /** So is a unit's record. */
  record: boolean;
  /** And a persona's cursor. */
  cursor: boolean;
  /** Whether a group's decision is made once. */
  decideOnce: boolean;
  /** The same request, asked for by several, is one run. */
  sameOnce: boolean;
};

export const scheduleRules: ScheduleRules = {
  queue: true,
  record: true,
  cursor: true,
  decideOnce: true,
  sameOnce: true,
};
