/**
 * The gate before each call of a run: a loop is asked about, then the rules allow it, deny it, or have somebody asked; of a
 * workspace's agent the trust in it may have somebody asked, too. The user's own calls pass.
 */
import { packs } from "../../protocol/settings/packs.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import type { OfferedTool } from "../catalog/toolbox.ts";
import { rulesOfAlways } from "../permissions/always.ts";
import { judgeCall, type RuleVerdict } from "../permissions/rules.ts";
import { judgeTrust } from "../permissions/trust.ts";
import { usualDecision, whyAsked } from "../permissions/usual.ts";
import type { GatedCall } from "./gated-call.ts";
import { passLoopGate } from "./loop-gate.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * A tool at the gate. `from: "agent"`: it is the agent's own, and isn't called here. `usual`: what becomes of a call that no rule
 * fits, and why somebody is asked; absent: by what the tool says of itself.
 */
export type GatedTool = Pick<OfferedTool, "name" | "inputSchema" | "annotations"> & {
  from: OfferedTool["from"] | "agent";
  usual?: { decide: PermissionRule["decide"]; why: string };
};

/** `question`: the id of the one that allowed the call. `refusal`: what its model reads instead. */
export type GateDecision = { question?: string } | { refusal: string };

/** @throws when the signal aborts while somebody is asked */
export async function passGate(
  requestContext: RequestContext,
  tool: GatedTool,
  call: GatedCall,
): Promise<GateDecision> {
  const { grant, permissionSettings, approvals } = requestContext;
  if (grant.agent_id === "commands") return {};
  const { name, inputSchema, annotations, from, usual } = tool;
  const loop = await passLoopGate(requestContext, name, call);
  if (loop !== null) return { refusal: loop };
  const ofPersona = grant.permissions ?? [];
  const rules = [...ofPersona, ...(permissionSettings.current.permissions ?? [])];
  const usualCall = { tool: name, isOurs: from === "cortex", isWalled: grant.place?.is_walled === true, annotations };
  const judged = { tool: name, args: call.args, inputSchema, inApp: from === "app" };
  const verdicts = judgeCall(rules, judged, usual?.decide ?? usualDecision(usualCall));
  const [{ decide, rule }] = verdicts;
  if (decide === "deny") return { refusal: denied(name, verdicts[0]) };
  const trusted = grant.trust ? judgeTrust(grant.trust, { tool: name, inApp: from === "app", annotations }) : null;
  if (decide === "allow" && !trusted && !call.isCutOff) return {};
  const approval = await approvals.ask({
    ...call,
    run: grant.agent_id,
    tool: name,
    why: trusted?.why ?? (usual && !rule ? usual.why : whyAsked(usualCall, rule)),
    // No rule of the settings takes the place of a workspace's trust.
    rules: grant.trust ? [] : rulesOfAlways(name, verdicts, ofPersona),
    ...(grant.trust && { action: trusted?.action ?? "approve" }),
    waitSeconds: grant.trust?.timeout_seconds,
    // To say it once more changes nothing.
    isRepeatable: from === "agent" || (from === "cortex" && !(packs["exec"] ?? []).includes(name)),
  });
  return approval.isAllowed ? { question: approval.id } : { refusal: approval.text };
}

/**
 * The gate before a call of a tool that isn't there: no rule is asked about it, and yet a run may go in a circle with it.
 * @returns what its model reads instead of that; null: that the tool isn't there
 * @throws when the signal aborts while somebody is asked
 */
export async function passMissing(
  requestContext: RequestContext,
  name: string,
  call: GatedCall,
): Promise<string | null> {
  return requestContext.grant.agent_id === "commands" ? null : passLoopGate(requestContext, name, call);
}

/** For the model to read. */
function denied(tool: string, { rule, text }: RuleVerdict): string {
  const isUnclear = rule?.match !== undefined && text === null;
  const why = isUnclear ? ", since what this call would do can't be told: write it plainly" : "";
  return `${tool}: denied by a rule of the user (${JSON.stringify(rule)})${why}. Don't try it in another way.`;
}
