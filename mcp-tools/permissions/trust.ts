/**
 * Which calls of a workspace's agent wait for a person. A tool is autonomous, to be approved, or escalates to an admin: by its
 * annotations, unless the agent's own lists name it. The level of the workspace says who is asked about what. It only adds to
 * what the rules ask about. Pure.
 */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { Trust, TrustAction, TrustLevel } from "../../protocol/runs/request/trust.ts";
import { fitsTool, type JudgedCall } from "./rules.ts";

/** `named`: only where one of the agent's lists says that the tool is one to be approved. */
type Asked = "always" | "named" | "never";

const asked: Record<TrustLevel, Record<TrustAction, Asked>> = {
  0: { autonomous: "always", approve: "always", escalate: "always" },
  1: { autonomous: "never", approve: "always", escalate: "always" },
  2: { autonomous: "never", approve: "named", escalate: "always" },
  3: { autonomous: "never", approve: "never", escalate: "always" },
};

/** The strictest list that names a tool counts. */
const lists = ["escalate", "approve", "autonomous"] as const;

/** `action`: what is asked for. Null: the call needs nobody. */
export type TrustVerdict = { action: "approve" | "escalate"; why: string } | null;

type TrustedCall = Pick<JudgedCall, "tool" | "inApp"> & { annotations?: ToolAnnotations | undefined };

export function judgeTrust(trust: Trust, call: TrustedCall): TrustVerdict {
  const named = lists.find((list) => trust[list].some((wanted) => fitsTool(wanted, call)));
  const action = named ?? actionOf(call.annotations);
  const when = asked[trust.level][action];
  if (when === "never" || (when === "named" && named === undefined)) return null;
  const by = named === undefined ? byAnnotations[action] : `the agent's list "${named}" names it`;
  const why = `${by}; the workspace's trust level is ${trust.level}`;
  return { action: action === "escalate" ? "escalate" : "approve", why };
}

/** Finds the action that a tool's annotations mean: one without any is to be approved. */
function actionOf(annotations: ToolAnnotations | undefined): TrustAction {
  if (annotations?.readOnlyHint === true) return "autonomous";
  return annotations?.destructiveHint === true ? "escalate" : "approve";
}

const byAnnotations: Record<TrustAction, string> = {
  autonomous: "it only reads",
  approve: "it changes something",
  escalate: "it may destroy something",
};
