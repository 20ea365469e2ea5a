/**
 * The one live stream of the page: what happens on the machine, for all stores. A store listens first and reads its list then:
 * what happens meanwhile comes as events, so nothing is missed. At a `reset` it reads its list again.
 */
import { batch, signal } from "@preact/signals";
import type { events } from "../../web/client/api-types.ts";
import { isSignedOut } from "../api/session.ts";
import { EventStream, type StreamEvent, type StreamState } from "./event-stream.ts";

/** How the page is connected. `back`: it was cut off until a moment ago. */
export type LiveState =
  | Exclude<StreamState, { kind: "live" }>
  | { kind: "live" }
  | { kind: "back"; afterMs: number; missed: number; isAll: boolean };

export const liveState = signal<LiveState>({ kind: "connecting" });

/** Milliseconds for which the page tells that it is back. */
const backMs = 6000;
/** Within this time after it is back come the events that were missed, in ms. */
const replayMs = 1000;

type Handler = (data: never) => void;
const handlers = new Map<string, Set<Handler>>();

/** Calls back for each event of a kind, until the returned function is called. */
export function onMachineEvent<Name extends keyof events>(name: Name, handler: (data: events[Name]) => void) {
  const known = handlers.get(name) ?? new Set<Handler>();
  handlers.set(name, known);
  known.add(handler as Handler);
  return () => void known.delete(handler as Handler);
}

let stream: EventStream | null = null;
let connected: () => void = () => {};
const whenConnected = new Promise<void>((resolve) => {
  connected = resolve;
});

/** Resolves when events are heard, or can't be for now: a list that is read then has all that no event will tell. */
export const listening = (): Promise<void> => whenConnected;

/** Begins to listen; once, at the page's start. */
export function startListening(): void {
  if (stream) return;
  stream = new EventStream({ path: "/api/v1/events", onEvents: deliver, onState: takeStreamState, onGap: reset });
  addEventListener("online", tryNow);
  document.addEventListener("visibilitychange", () => document.hidden || tryNow());
}

/** Tries at once to be connected again. */
export function tryNow(): void {
  if (liveState.value.kind === "cut off") stream?.tryNow();
}

function deliver(heard: StreamEvent[]): void {
  const state = liveState.value;
  batch(() => {
    if (state.kind === "back" && performance.now() < replayUntil)
      liveState.value = { ...state, missed: state.missed + heard.filter(({ event }) => event !== "reset").length };
    for (const { event, data } of heard) {
      if (event === "reset") noteReset();
      for (const handler of handlers.get(event) ?? []) handler(data as never);
    }
  });
}

function reset(): void {
  noteReset();
  for (const handler of handlers.get("reset") ?? []) handler({ why: "nothing was heard before the break" } as never);
}

function noteReset(): void {
  if (liveState.value.kind === "back") liveState.value = { ...liveState.value, isAll: false };
  else isReset = true;
}

/** Told before the state is. */
let isReset = false;
let replayUntil = 0;

function takeStreamState(state: StreamState): void {
  if (state.kind !== "connecting") connected();
  if (state.kind === "refused" && state.status === 401) isSignedOut.value = true;
  const before = liveState.value;
  if (state.kind !== "live" || before.kind !== "cut off") {
    liveState.value = state;
    return;
  }
  const back: LiveState = { kind: "back", afterMs: Date.now() - before.since, missed: 0, isAll: !isReset };
  isReset = false;
  replayUntil = performance.now() + replayMs;
  liveState.value = back;
  setTimeout(() => {
    if (liveState.value.kind === "back") liveState.value = { kind: "live" };
  }, backMs);
}
