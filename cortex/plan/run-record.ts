/** The record that cortex keeps of a run while something of it is pending, so that a restarted one can go on. */
import { z } from "zod";
import { keepDocument, keptDocument } from "../../journal/run-folders/run-folder.ts";
import { keepSecret, keptSecret } from "../../journal/run-folders/run-secrets.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { Request } from "../../protocol/runs/request/request.ts";
import { secretValues, hidesSomething, redacted } from "../../protocol/runs/request/request-content.ts";
import type { Plan } from "./merge.ts";

export const RunRecord = z.object({
  /** The request with its secrets. */
  request: Request,
  stream_seq: z.number().int(),
  /** The plan that the request came to when it started: personas and settings may have changed since. */
  plan: z.custom<Plan>(isRecord),
  attempt: z.number().int().positive(),
  /** How many attempts were lost before this one. */
  lost: z.number().int().nonnegative(),
  /** How many runs its chain of handoffs has, itself included. */
  chain_length: z.number().int().positive(),
  /** When the attempt began, in ms: the wall clock runs from here. */
  started: z.number(),
  /** How long the attempts before it ran, in ms. */
  spent_ms: z.number().nonnegative().optional(),
  /** The agent's working folder. */
  work_folder: z.string(),
  /** The token for the tools, to be revoked at the end. */
  mcp_token: z.string().optional(),
  /** The token for the gateway, likewise. */
  gateway_token: z.string().optional(),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** The tokens of a run, which are revoked with it. */
export const tokensOf = ({ mcp_token, gateway_token }: Pick<RunRecord, "mcp_token" | "gateway_token">): string[] =>
  [mcp_token, gateway_token].filter((token) => token !== undefined);

/** The child that is handed on to when the run has ended: decided once, before the file says so. */
export const ChildRecord = z.object({ request: Request, chain_length: z.number().int().positive() });
export type ChildRecord = z.infer<typeof ChildRecord>;

/** The part of a record that may hold secrets: kept elsewhere, so that the rest may be read and deleted. */
const Secret = RunRecord.pick({ request: true, plan: true });

export async function keepRecord(journal: string, agentId: string, record: RunRecord): Promise<void> {
  const { request, plan, ...rest } = record;
  if (!hasSecrets(record)) return keepDocument(journal, agentId, "run", record);
  await keepSecret(journal, agentId, "run", { request, plan });
  await keepDocument(journal, agentId, "run", rest);
}

export const keepChild = (journal: string, agentId: string, child: ChildRecord) =>
  keepSecret(journal, agentId, "child", child);

/** The record of a run, or null. */
export function recordOf(journal: string, agentId: string): RunRecord | null {
  const record = keptDocument(journal, agentId, "run");
  if (!isRecord(record)) return null;
  const secret = Secret.safeParse(keptSecret(journal, agentId, "run")).data ?? {};
  return RunRecord.safeParse({ ...record, ...secret }).data ?? null;
}

/** The child that a run hands on to, or null. */
export function childOf(journal: string, agentId: string): ChildRecord | null {
  return ChildRecord.safeParse(keptSecret(journal, agentId, "child")).data ?? null;
}

function hasSecrets({ request, plan }: RunRecord): boolean {
  return hidesSomething(redacted(request)) || secretValues({ env: plan.env, handoff: plan.handoff }).length > 0;
}
