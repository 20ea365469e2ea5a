/** The handling of a run's result: the request that it hands on, and the file that it is saved in. */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../files/errors/error-message.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { TreeLimits } from "../../protocol/runs/request/grant.ts";
import { dropNulls } from "../../protocol/json/json-object.ts";
import { narrowedNetwork } from "../../protocol/runs/request/network.ts";
import { type Handoff, Request } from "../../protocol/runs/request/request.ts";
import { strictestSandbox } from "../../protocol/runs/request/sandbox-mode.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { decideHandoff } from "../plan/handoff.ts";
import type { Plan } from "../plan/merge.ts";
import type { RunContext } from "../run-scope/run-context.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";

/**
 * Decides what a run hands on, once, and keeps it until the run's file says so. Returns what is to be said before the
 * terminal event.
 * @param chainLength how many runs its chain has so far
 * @param left what is left of its limits for the whole tree
 */
export async function handOn(
  finish: EventBody,
  agentId: string,
  plan: Plan,
  chainLength: number,
  left: TreeLimits,
  context: RunContext,
): Promise<string[]> {
  const parent = { agentId, resolved: resolved(plan, context.settings()), chainLength, left };
  const { child, notes } = decideHandoff(finish, plan.handoff, parent, context.personaOf);
  if (!child) return notes;
  const request = Request.parse(dropNulls(child));
  const bytes = Buffer.byteLength(JSON.stringify(request));
  const { maxRequestBytes } = context.publisher;
  if (bytes > maxRequestBytes)
    return [...notes, `no handoff: its request has ${bytes} bytes, the bus takes ${maxRequestBytes}`];
  const ts = Number(await context.owner.reserveId(agentId, request, chainLength + 1));
  failpoint("child-reserved");
  await context.files.keepChild(agentId, { request: { ...request, ts }, chain_length: chainLength + 1 });
  failpoint("child-kept");
  return notes;
}

function resolved(plan: Plan, settings: Settings) {
  const { config, persona, backend, model, limits, day, tools, env, stream, folder, worktree, trust } = plan;
  const where = { folder, ...(worktree !== undefined && { worktree: true }) };
  const shared = { ...config, ...limits, persona, backend: backend.name, model, day, tools, env, stream, ...where };
  return { ...shared, trust, ...tighterWall(plan, settings) };
}

/** Where a run's wall is tighter than the settings', that of whoever follows it isn't wider. */
function tighterWall({ sandbox, network }: Plan, settings: Settings): Pick<Handoff, "sandbox" | "network"> {
  const isStricter = sandbox !== strictestSandbox(settings.sandbox);
  const isNarrower = !isDeepStrictEqual(network, narrowedNetwork(settings.network).allowed);
  return { ...(isStricter && { sandbox }), ...(isNarrower && { network }) };
}

/** Saves a result where the plan says. A failure is an event, and stops nothing. */
export async function saveAsPlanned(
  context: RunContext,
  agentId: string,
  { day, save = "" }: Plan,
  result: string,
): Promise<EventBody> {
  try {
    const { save_conflict } = context.settings();
    return { event: "saved", path: await context.files.save(day, save, result, save_conflict, agentId) };
  } catch (error) {
    return { event: "save_failed", error: `${messageOf(error)}; the result stands in the run's file` };
  }
}
