/**
 * How an external server is, and what changes that. Pure.
 *
 * `connecting`: it isn't there yet, or was there a moment ago: calls wait a little.
 * `ready`: it answers.
 * `failed`: it can't be had; it is tried again after a while, and calls say so at once. The names of its tools stay.
 */
import type { ToolSource } from "../../journal/programs/tool-catalog.ts";

export type ServerState = ToolSource["state"];

export type ServerInput =
  /** A connection was made, and its tools are listed. */
  | "connected"
  /** The connection is over, or of no use any more. A connection that was given up ends once more. */
  | "lost"
  /** An attempt has failed, and calls may wait for the next one. */
  | "retrying"
  /** So many attempts have failed that nobody should wait. */
  | "exhausted";

const table: Record<ServerState, Record<ServerInput, ServerState | "ignore" | "impossible">> = {
  connecting: { connected: "ready", lost: "ignore", retrying: "connecting", exhausted: "failed" },
  ready: { connected: "impossible", lost: "connecting", retrying: "impossible", exhausted: "impossible" },
  failed: { connected: "ready", lost: "impossible", retrying: "connecting", exhausted: "failed" },
};

/** The state after an input; null where it changes nothing. */
export function nextState(state: ServerState, input: ServerInput): ServerState | null {
  const next = table[state][input];
  if (next === "impossible") throw new Error(`an external server that is ${state} can't be ${input}`);
  return next === "ignore" ? null : next;
}
