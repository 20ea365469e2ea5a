/** The gate for runs that repeat themselves. */
import { usualLoopLimit } from "../../protocol/runs/circle.ts";
import type { AskedCall } from "../permissions/approvals.ts";
import type { GatedCall } from "./gated-call.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Asks whether a run that repeats itself may go on. One that nobody watches is ended by cortex instead.
 * @returns what its model reads when it may not; null: it may, or doesn't repeat itself
 * @throws when the signal aborts
 */
export async function passLoopGate(
  requestContext: RequestContext,
  name: string,
  call: GatedCall,
): Promise<string | null> {
  const { grant, permissionSettings, approvals, loops } = requestContext;
  const { loop_limit: limit = usualLoopLimit } = permissionSettings.current;
  const question: AskedCall = {
    ...call,
    run: grant.agent_id,
    tool: "loop",
    args: { tool: name, args: call.args },
    why: "",
    rules: [],
    loop: true,
    ...(grant.trust && { action: "approve" as const }),
    waitSeconds: grant.trust?.timeout_seconds,
    isRepeatable: true,
  };
  // The same call once more, after a crash or a lost connection, isn't counted twice; its question stands.
  const isKnown = approvals.wasAsked(question);
  const circle = isKnown || call.isCutOff ? null : loops.add(grant.agent_id, name, call.args, limit);
  if (!isKnown && circle === null) return null;
  const why = `it made ${circle ?? "the same calls again and again"} (${name})`;
  const approval = await approvals.ask({ ...question, why });
  return approval.isAllowed
    ? null
    : `${name} isn't made, since you repeat yourself: ${approval.text} Do something else, or end.`;
}
