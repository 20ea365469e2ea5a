/** An item in quarantine, as commands tell it to people and to programs. */
import type { Quarantined } from "../../../journal/quarantine/quarantine.ts";
import { shorten } from "./text.ts";

/** For `--json`. */
export function describeQuarantined({ id, record, item }: Quarantined): Record<string, unknown> {
  if (record === null) return { id, error: damagedRecordText, file: item };
  const { store, key, failures, error, since, quarantined, path, size } = record;
  const times = { since: new Date(since).toISOString(), quarantined: new Date(quarantined ?? since).toISOString() };
  return { id, store, key, failures, error, ...times, file: item, path: path ?? null, size: size ?? null };
}

/** For people, in one line. */
export function quarantinedLine({ id, record }: Quarantined): string {
  return record === null
    ? `${id}: ${damagedRecordText}`
    : `${id} (${record.store} ${shorten(record.key, 80)}): ${shorten(record.error, 120)}`;
}

export const damagedRecordText = "its record is damaged, so the reason is unknown";
