/** The decision about a call that no rule fits, with what is told to the person who is asked. Pure. */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";

/** `isOurs`: of our own packs, not of an external server or app. */
export type UsualCall = {
  tool: string;
  isOurs: boolean;
  /** Whether the run's commands are held by a sandbox. */
  isWalled: boolean;
  annotations?: ToolAnnotations | undefined;
};

/** The tools that hand text to a shell. */
const shells = new Set(["bash", "process_input"]);

export function usualDecision({ tool, isOurs, isWalled, annotations }: UsualCall): PermissionRule["decide"] {
  if (annotations?.readOnlyHint === true) return "allow";
  if (isOurs) return shells.has(tool) && !isWalled ? "ask" : "allow";
  return annotations?.destructiveHint === true ? "ask" : "allow";
}

/** Why somebody is asked. */
export function whyAsked({ tool, isOurs }: UsualCall, rule: PermissionRule | undefined): string {
  if (rule) return `a rule asks about ${callsOf(rule)}`;
  return isOurs ? "what it runs isn't in a sandbox" : `${tool} says that it may destroy something`;
}

const callsOf = ({ tool, match }: PermissionRule) =>
  `${tool === "*" ? "every tool" : tool}${match === undefined ? "" : ` with ${match}`}`;
