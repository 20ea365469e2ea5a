/** The decisions that wait for the one who looks, for every view: the frame keeps them up, whatever view is open. */
import { computed, signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { listening, liveState, onMachineEvent } from "../../live/machine-events.ts";

export type Decision = ApiRecord<"Decision">;

/** Decisions made while the page was open that are kept: whoever looks at one reads what became of it. */
const mostDecided = 50;

/** Open ones, and the last that were decided, by their ids; null: not read yet. */
const known = signal<ReadonlyMap<string, Decision> | null>(null);

/** Oldest first; null: not read yet. */
export const openDecisions = computed<readonly Decision[] | null>(() =>
  known.value === null ? null : [...known.value.values()].filter(isOpen).toSorted(byAge),
);

export const needsYouCount = computed(() => openDecisions.value?.length ?? 0);

/** Lists the questions of a run, the oldest first: those that wait, and those decided since the page was opened. */
export const decisionsOf = (run: string): readonly Decision[] =>
  [...(known.value?.values() ?? [])].filter((decision) => decision.run === run).toSorted(byAge);

/** Reads them, and keeps them up; returns what ends that. */
export function followDecisions(): () => void {
  const ends = [
    onMachineEvent("decision.requested", takeDecision),
    onMachineEvent("decision.decided", takeDecision),
    onMachineEvent("reset", () => void read()),
    // The first read was in vain while the server was away.
    liveState.subscribe(({ kind }) => (kind === "live" || kind === "back") && readUnknown()),
  ];
  void listening().then(read);
  return () => ends.forEach((end) => end());
}

/** Grows with each that is heard of: a list that was read meanwhile may be older. */
let heard = 0;
let reads = 0;

/** Takes a decision as it is now. */
function takeDecision(decision: Decision): void {
  heard++;
  // Before the list is there, it alone would look like all of them: the list is read.
  if (known.value === null) return readUnknown();
  keep([...known.value.values().filter(({ id }) => id !== decision.id), decision]);
}

function readUnknown(): void {
  if (known.value === null && reads === 0) void read();
}

/** Reads the decisions. A failure leaves what was read before. */
async function read(): Promise<void> {
  reads++;
  try {
    for (let before = -1; before !== heard; ) {
      before = heard;
      const { items } = await answered(client.GET("/api/v1/decisions"));
      if (before !== heard) continue;
      const listed = new Set(items.map(({ id }) => id));
      const decided = [...(known.value?.values() ?? [])].filter((one) => !isOpen(one) && !listed.has(one.id));
      keep([...decided, ...items]);
    }
  } catch {
    // Where nothing was read yet, the next change asks again.
  } finally {
    reads--;
  }
}

function keep(decisions: readonly Decision[]): void {
  const decided = decisions.filter((decision) => !isOpen(decision)).slice(-mostDecided);
  known.value = new Map([...decided, ...decisions.filter(isOpen)].map((decision) => [decision.id, decision]));
}

const isOpen = ({ status }: Decision) => status === "open";
const byAge = (one: Decision, other: Decision) => (one.asked_at < other.asked_at ? -1 : 1);
