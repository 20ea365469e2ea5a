/** What becomes of a call by the rules: the first that fits decides. Pure. */
import { packs, sourceOf } from "../../protocol/settings/packs.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import { fitsGlob } from "./text-glob.ts";
import { mainArgument } from "./main-argument.ts";
import { shellCommands } from "./shell-commands.ts";

/** A call, as the rules see it. `inApp`: its tool is one of an app's. */
export type JudgedCall = { tool: string; args: unknown; inputSchema: unknown; inApp?: boolean };

/** `rule`: the rule that decides; absent where none fits. `text`: what it was decided on, where that is one part of the call. */
export type Verdict = { decide: PermissionRule["decide"]; rule?: PermissionRule; text?: string };

/** From the mildest to the strictest. */
const strictness: PermissionRule["decide"][] = ["allow", "deny"];

/**
 * Judges a call. Each command of a shell line is judged by itself, and the strictest verdict holds for the line.
 * @param usual what becomes of a call that no rule fits
 */
export function judge(rules: readonly PermissionRule[], call: JudgedCall, usual: PermissionRule["decide"]): Verdict {
  const verdicts = textsOf(call).map((text) => verdictOn(rules, call, text, usual));
  return verdicts.reduce((a, b) => (strictness.indexOf(b.decide) > strictness.indexOf(a.decide) ? b : a));
}

/** The texts that rules are held against. Null: what the call would do can't be told. */
function textsOf({ tool, args, inputSchema }: JudgedCall): [string | null, ...(string | null)[]] {
  const main = mainArgument(inputSchema, args);
  if (tool !== "bash" || main === null) return [main];
  const [first, ...more] = shellCommands(main) ?? [];
  return first === undefined ? [null] : [first, ...more];
}

function verdictOn(
  rules: readonly PermissionRule[],
  call: JudgedCall,
  text: string | null,
  usual: PermissionRule["decide"],
): Verdict {
  const rule = rules.find((one) => fitsTool(one.tool, call) && fitsText(one, text));
  return { decide: rule?.decide ?? usual, ...(rule && { rule }), ...(text !== null && { text }) };
}

/** What can't be told is surely nothing that is allowed, and may be what isn't. */
const fitsText = ({ match, decide }: PermissionRule, text: string | null) =>
  match === undefined || (text === null ? decide !== "allow" : fitsGlob(match, text));

function fitsTool(wanted: string, { tool, inApp = false }: JudgedCall): boolean {
  if (wanted === "*" || wanted === tool) return true;
  if (Object.hasOwn(packs, wanted)) return (packs[wanted] ?? []).includes(tool) || (wanted === "apps" && inApp);
  return wanted === "apps" ? inApp : wanted.endsWith(".*") && wanted === `${sourceOf(tool)}.*`;
}
