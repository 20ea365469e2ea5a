/** The serial queues of scheduled units, by their names on the bus. */
import type { Scheduled } from "../calendar/scheduled.ts";

/** The queue of the daily runs. */
export const dailyQueue = "night";

/** The queue that a persona's units go through: occurrences have one of the persona's name. */
export const queueOf = ({ name, cron }: Scheduled) => (cron === null ? dailyQueue : `slots.${name}`);
