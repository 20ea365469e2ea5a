/** Chains of handoffs, as the files of their runs tell them. */
import { readRun } from "../journal/read-run.ts";
import { maxChain } from "./handoff.ts";

/** How many runs stand in the chain up to this one, itself included. */
export function chainLength(journal: string, agentId: string): number {
  let length = 1;
  for (let id = agentId; length <= maxChain; length++) {
    const request = readRun(journal, id)?.events.find((event) => event.event === "request");
    const before: unknown = request?.["handoff_from"];
    if (typeof before !== "string") break;
    id = before;
  }
  return length;
}

/** Whether the run `parent` handed off to this one. */
export function parentOf(journal: string, agentId: string, parent: string): boolean {
  const events = readRun(journal, parent)?.events ?? [];
  return events.some((event) => event.event === "handoff" && event["to"] === agentId);
}
