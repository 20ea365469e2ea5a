/** Changes of the journal's files, by whomever: a view that shows some reads them again. */
import type { events } from "../../web/client/api-types.ts";
import { onMachineEvent } from "./machine-events.ts";

export type JournalPart = events["journal.changed"]["parts"][number];

/** Calls back when one of the parts has changed, or may have; returns what ends that. */
export function onJournalChange(parts: readonly JournalPart[], handler: () => unknown): () => void {
  const ends = [
    onMachineEvent("journal.changed", ({ parts: changed }) => {
      if (parts.some((part) => changed.includes(part))) handler();
    }),
    onMachineEvent("reset", () => void handler()),
  ];
  return () => ends.forEach((end) => end());
}
