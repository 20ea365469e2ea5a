/** The four parts of Now as they are shown: rows stay where they are while somebody points at one. */
import { computed, effect, signal } from "@preact/signals";
import { type Companion, companions } from "../../stores/agents/companions-store.ts";
import type { Decision } from "../../stores/now/decisions-store.ts";
import { needing, nowState, type RunRow } from "../../stores/now/now-store.ts";
import { bySchedule, type OfSchedule } from "../../stores/now/by-schedule.ts";
import { type Kept, type Steady, steadyList } from "../../stores/now/steady-list.ts";
import type { ApiRecord } from "../../api/client.ts";

export type Done = ApiRecord<"Now">["done_today"][number];

/** Somebody points at a row, or has the focus in one. */
export const isHeld = signal(false);

/** Runs of a schedule are one row. */
export const doneKey = (done: Done) => ("runs" in done ? `schedule ${done.schedule}` : done.id);

/** How many runs of a row are done: what has failed is counted elsewhere. */
export const doneOf = (done: Done) => ("runs" in done ? done.total - done.failed : 1);

/** A long-lived agent whose messages wait, though it isn't at work. */
export type WaitingAgent = Pick<Companion, "name" | "called"> & { id: string; messages: number; since: number };
export type Failed = RunRow | OfSchedule;
export type Working = RunRow | OfSchedule | WaitingAgent;

export const isWaitingAgent = (item: Working): item is WaitingAgent => "messages" in item;
export const isOfSchedule = (item: Working): item is OfSchedule => "runs" in item;
export const rowKey = (item: Working) =>
  isWaitingAgent(item) ? `agent ${item.id}` : isOfSchedule(item) ? `schedule ${item.schedule}` : item.id;

/** How many runs, or agents, rows stand for. */
export const runsIn = (rows: readonly Kept<Working>[]) =>
  rows.reduce((sum, { item }) => sum + (isOfSchedule(item) ? item.runs.length : 1), 0);

export const needsYou = part<Decision>(
  () => [...needing.value],
  ({ id }) => id,
  "last",
);
export const working = part<Working>(
  (now) => [...waitingAgents(), ...bySchedule(now.working.filter(({ id }) => !asks(id)))],
  rowKey,
  "first",
);
export const failed = part<Failed>((now) => bySchedule(now.failed), rowKey, "first");
export const done = part<Done>((now) => now.done_today, doneKey, "first");

/** Whether a run waits for an answer: it stands with what needs one, and not again with what works. */
const asks = (run: string) => needing.value.some((decision) => decision.run === run);

/** Agents whose messages wait for a turn. One at work has the row of its run, and one that asks that of its question. */
const waitingAgents = (): WaitingAgent[] =>
  (companions.value ?? [])
    .filter(({ agent_id, state }) => state === "waiting" && !needing.value.some(({ agent }) => agent === agent_id))
    .map(({ agent_id: id, waiting: messages, updated: since, name, called }) => ({
      id,
      name,
      called,
      messages,
      since,
    }));

/** How many runs and agents are at work or wait for that, also those that aren't listed. */
export const workingCount = (now: ApiRecord<"Now">): number =>
  now.totals.working - now.working.filter(({ id }) => asks(id)).length + waitingAgents().length;

/** How many rows wait to be shown until nobody points at one. */
export const waiting = computed(() =>
  [needsYou, working, failed, done].reduce((sum, { value }) => sum + value.waiting, 0),
);

function part<Item>(
  itemsOf: (now: ApiRecord<"Now">) => Item[],
  keyOf: (item: Item) => string,
  newOnes: "first" | "last",
) {
  const shown = signal<Steady<Item>>({ rows: [], waiting: 0 });
  effect(() => {
    const items = nowState.value === null ? [] : itemsOf(nowState.value);
    shown.value = steadyList(shown.peek().rows, items, { keyOf, newOnes, isHeld: isHeld.value });
  });
  return shown;
}
