/** Messages to long-lived agents among what was put away: on their way in, or in a turn that failed within cortex. */
import { quarantineIds, readRecord } from "./quarantine-records.ts";

/** @param item the message, as the agent's events name it */
export const isPutAway = (journal: string, item: string): boolean =>
  quarantineIds(journal).some((id) => {
    const record = readRecord(journal, id);
    return record !== null && record.quarantined !== null && record.messages?.includes(item) === true;
  });
