/** The content of Now: read once, and kept up by what happens on the machine. */
import { computed, signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { listening, onMachineEvent } from "../../live/machine-events.ts";
import { type Decision, openDecisions } from "./decisions-store.ts";
import { NowNews, withoutFailed, withRun } from "./now-news.ts";
import { isAlive } from "../../words/runs/run-states.ts";

export type RunRow = ApiRecord<"RunRow">;
type Now = ApiRecord<"Now">;

export const nowState = signal<Now | null>(null);
export const nowProblem = signal<unknown>(null);

/**
 * The decisions that need the owner, oldest first: as all views know them, and until those are read as Now was told.
 */
export const needing = computed<readonly Decision[]>(() => openDecisions.value ?? nowState.value?.needs_you ?? []);

let reading: Promise<void> | null = null;
let isStale = false;
const news = new NowNews();

/** Reads all of it anew. Whoever asks while it is being read is told of what was there afterwards. */
export async function readNow(): Promise<void> {
  if (reading) {
    isStale = true;
    return reading;
  }
  reading = read();
  await reading;
}

async function read(): Promise<void> {
  do {
    isStale = false;
    try {
      news.ask();
      nowState.value = news.take(await answered(client.GET("/api/v1/now")));
      nowProblem.value = null;
    } catch (error) {
      nowProblem.value = error;
    }
  } while (isStale);
  reading = null;
}

/** Ended runs move between parts, and sums change with them: all is read again, at most so often. */
const readAgainMs = 400;
let timer: ReturnType<typeof setTimeout> | null = null;

function readNowSoon(): void {
  timer ??= setTimeout(() => {
    timer = null;
    void readNow();
  }, readAgainMs);
}

/** A run has changed. One at work changes in place. */
function runChanged(row: RunRow): void {
  news.hear(row);
  const changed = nowState.value && withRun(nowState.value, row);
  if (changed) nowState.value = changed;
  if (!changed || !isAlive(row.state)) readNowSoon();
}

function healthChanged(problems: Now["health"]): void {
  news.hearProblems(problems);
  if (nowState.value) nowState.value = { ...nowState.value, health: problems };
}

/** Puts a failed run away. */
export async function putAway(run: string): Promise<void> {
  await answered(client.POST("/api/v1/now/dismissed", { body: { run } }));
  news.hearPutAway(run);
  if (nowState.value) nowState.value = withoutFailed(nowState.value, run);
}

/** Reads it, and keeps it up; returns what ends that. */
export function followNow(): () => void {
  const ends = [
    onMachineEvent("run.changed", runChanged),
    onMachineEvent("run.removed", readNowSoon),
    onMachineEvent("health.changed", ({ problems }) => healthChanged(problems)),
    onMachineEvent("reset", () => void readNow()),
  ];
  void listening().then(readNow);
  return () => ends.forEach((end) => end());
}
