/** What cortex keeps of a run while something of it is owed, so that a restarted one can go on. */
import { z } from "zod";
import { keep, kept } from "../journal/run-folder.ts";
import { isRecord, Request } from "../protocol/request.ts";
import type { Plan } from "./merge.ts";

export const RunRecord = z.object({
  /** The request with its secrets. */
  request: Request,
  stream_seq: z.number().int(),
  /** What the request came to when it started: personas and settings may have changed since. */
  plan: z.custom<Plan>(isRecord),
  attempt: z.number().int().positive(),
  /** How many attempts were lost before this one. */
  lost: z.number().int().nonnegative(),
  /** When the attempt began, in ms: the wall clock runs from here. */
  started: z.number(),
  /** The agent's working folder. */
  work_folder: z.string(),
  /** The token for the tools, to be revoked at the end. */
  mcp_token: z.string().optional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** What is handed on when the run has ended: decided once, before the file says so. */
export const ChildRecord = z.object({ request: Request });
export type ChildRecord = z.infer<typeof ChildRecord>;

export const keepRecord = (journal: string, agentId: string, record: RunRecord) =>
  keep(journal, agentId, "run", record);
export const keepChild = (journal: string, agentId: string, child: ChildRecord) =>
  keep(journal, agentId, "child", child);

/** The record of a run, or null. */
export function recordOf(journal: string, agentId: string): RunRecord | null {
  return RunRecord.safeParse(kept(journal, agentId, "run")).data ?? null;
}

/** The child that a run hands on to, or null. */
export function childOf(journal: string, agentId: string): ChildRecord | null {
  return ChildRecord.safeParse(kept(journal, agentId, "child")).data ?? null;
}
