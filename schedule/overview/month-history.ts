/** The history of a month, from the ledger. */
import type { ScheduleLedger } from "../../bus/schedule/schedule-ledger.ts";
import { type HistoryRow, historyRows } from "./history-rows.ts";

/** More of a month isn't read: the newest are. */
const mostEntries = 5000;

/** @param month `YYYYMM` */
export async function monthHistory(ledger: ScheduleLedger, month: string): Promise<HistoryRow[]> {
  const known = (await ledger.known()).filter(({ day }) => day.startsWith(month)).slice(0, mostEntries);
  return historyRows(await ledger.history(known));
}
