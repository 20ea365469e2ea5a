/**
 * Answers a run that asks whether its agent may make a call by a tool of its own, such as a coding agent's shell: by the same rules,
 * trust and approvals as a call of ours. Nothing is called here.
 */
import type { ServerResponse } from "node:http";
import { relative, resolve } from "node:path";
import { isWithin } from "../../sandbox/walls/is-within.ts";
import { OutsideError, realAsFarAsItGoes } from "../../journal/config/paths.ts";
import type { RunPlace } from "../../journal/access/tokens.ts";
import { type OwnCall, OwnCall as OwnCallSchema, type OwnCallAnswer } from "../../protocol/permissions/own-call.ts";
import { whyNotWritten } from "../../journal/notes/guarded-paths.ts";
import { type GatedTool, passGate } from "../mcp/gate.ts";
import type { RequestContext } from "../mcp/request-context.ts";

const reading: readonly OwnCall["kind"][] = ["read", "search", "think", "fetch"];
const changing: readonly OwnCall["kind"][] = ["edit", "delete", "move"];

/** Decides; null: it isn't such a question. */
export async function answerPermit(
  message: unknown,
  response: ServerResponse,
  requestContext: RequestContext,
): Promise<OwnCallAnswer | null> {
  const asked = OwnCallSchema.safeParse(message);
  if (!asked.success) return null;
  const { call_id, kind, tool } = asked.data;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { place } = requestContext.grant;
  const { args, outside } = placed(asked.data, place);
  const gated: GatedTool = {
    name: tool,
    inputSchema: { type: "object", required: Object.keys(args).slice(0, 1) },
    annotations: { readOnlyHint: reading.includes(kind), destructiveHint: !reading.includes(kind) },
    from: "agent",
    usual: usualDecision(kind, outside, place),
  };
  try {
    const call = { args, callId: call_id, isCutOff: false, signal: gone.signal };
    const passage = await passGate(requestContext, gated, call);
    return "refusal" in passage ? { allowed: false, why: passage.refusal } : { allowed: true };
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    return { allowed: false, why: `${tool} was cancelled` }; // nobody reads it
  }
}

/** @field outside why its path isn't for a run to write; null: it is, in the run's folder */
type Placed = { args: Record<string, unknown>; outside: string | null };

const elsewhere = "it changes what isn't in the run's folder";

/** The call with its path as rules have it: relative to the folder of the run, where it is really in there. */
function placed({ args }: OwnCall, place: RunPlace | undefined): Placed {
  const { path, ...others } = args;
  if (typeof path !== "string" || path === "" || place?.folder === undefined) return { args, outside: elsewhere };
  const real = realPath(resolve(place.folder, path));
  if (real === null || !isWithin(real, place.folder))
    return { args: { path: real ?? path, ...others }, outside: elsewhere };
  const outside = whyNotWritten(place.folder, real);
  return { args: { path: relative(place.folder, real) || ".", ...others }, outside };
}

/** Where it leads; null: nowhere that could be told. */
function realPath(path: string): string | null {
  try {
    return realAsFarAsItGoes(path);
  } catch (error) {
    if (error instanceof OutsideError) return null;
    throw error;
  }
}

/** Decides where no rule fits: what only reads, or stays in the run's folder or behind its wall, is allowed. */
function usualDecision(
  kind: OwnCall["kind"],
  outside: Placed["outside"],
  place: RunPlace | undefined,
): GatedTool["usual"] {
  const why = changing.includes(kind) ? outside : "what it runs isn't in a sandbox";
  const isHeld = reading.includes(kind) || place?.is_program_walled === true;
  return isHeld || why === null ? { decide: "allow", why: "" } : { decide: "ask", why };
}
