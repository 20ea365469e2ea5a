/** The request that a run's file holds, and the run that it goes on from. */
import { AgentId } from "../../protocol/names/names.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { redacted } from "../../protocol/runs/request/request-content.ts";
import type { WorkSource } from "../plan/plan-for.ts";
import type { RunFiles } from "../ports/run-files.ts";
import type { RequestFiles } from "./request-files.ts";

/** The first line of a run's file: the request as received, its secrets replaced. */
export function requestLine(
  request: Request,
  { parts = [], conversation = [] }: Partial<RequestFiles> = {},
): EventBody {
  const { parts: _, ...shown } = redacted(request) as Request;
  const said = shown.conversation?.map((message, index) => {
    const files = conversation[index]?.parts;
    return files ? { ...message, parts: files } : message;
  });
  return { ...shown, ...(said && { conversation: said }), ...(parts.length > 0 && { parts }), event: "request" };
}

/** Where the run works that a request continues, or is handed on by. Turns of agents are told by the agents' service each time. */
export async function workSourceOf(
  files: RunFiles,
  { continue_from, handoff_from, agent }: Request,
): Promise<WorkSource | undefined> {
  const source = continue_from ?? handoff_from;
  if (source === undefined || agent !== undefined || !AgentId.safeParse(source).success) return undefined;
  try {
    const start = await files.find(source, ["start"]);
    const { folder, worktree } = { ...start };
    if (typeof folder !== "string") return undefined;
    return { folder, ...(typeof worktree === "string" && files.hasWorktree(worktree) && { worktree }) };
  } catch {
    return undefined; // what can't be read can't be continued, either: that is said when its conversation is read
  }
}
