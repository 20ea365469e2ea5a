/** Chains of handoffs, as the files of their runs tell them. */
import { findEvent } from "../../journal/runs/read-run.ts";

/** A chain of handoffs is at most this long, its first run included. */
export const maxChain = 16;

/** How many runs stand in the chain up to this one, itself included. */
export async function chainLength(journal: string, agentId: string): Promise<number> {
  let length = 1;
  for (let id = agentId; length <= maxChain; length++) {
    const request = await findEvent(journal, id, ["request"]);
    const before: unknown = request?.["handoff_from"];
    if (typeof before !== "string") break;
    id = before;
  }
  return length;
}

/** Whether the run `parent` handed off to this one. */
export async function parentOf(journal: string, agentId: string, parent: string): Promise<boolean> {
  return (await findEvent(journal, parent, ["handoff"], (event) => event["to"] === agentId)) !== null;
}
