/** The decision about a call by the rules: the first that fits decides. Pure. */
import { packs, sourceOf } from "../../protocol/settings/packs.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import { fitsGlob } from "../../protocol/names/text-glob.ts";
import { mainArgument } from "./main-argument.ts";
import { shellCommands } from "./shell-commands.ts";

/** A call, as the rules see it. `inApp`: its tool is one of an app's. */
export type JudgedCall = { tool: string; args: unknown; inputSchema: unknown; inApp?: boolean };

/**
 * The verdict on one part of a call. `rule`: the one that decides; absent where none fits. `text`: null where nothing
 * can be told.
 */
export type RuleVerdict = { decide: PermissionRule["decide"]; rule: PermissionRule | undefined; text: string | null };

/** From the mildest to the strictest. */
const strictness: PermissionRule["decide"][] = ["allow", "ask", "deny"];

/**
 * Judges a call. Each command of a shell line is judged by itself, and the strictest verdict holds for the line.
 * @param usual what becomes of a call that no rule fits
 * @returns the parts with that verdict: one at least
 */
export function judgeCall(
  rules: readonly PermissionRule[],
  call: JudgedCall,
  usual: PermissionRule["decide"],
): [RuleVerdict, ...RuleVerdict[]] {
  const [first, ...more] = textsOf(call);
  const verdicts: [RuleVerdict, ...RuleVerdict[]] = [verdictOn(rules, call, first, usual), ...more.map(onText)];
  const [strictest] = verdicts.toSorted((a, b) => strictness.indexOf(b.decide) - strictness.indexOf(a.decide));
  const others = verdicts.filter((verdict) => verdict !== strictest && verdict.decide === strictest?.decide);
  return [strictest ?? verdicts[0], ...others];

  function onText(text: string | null): RuleVerdict {
    return verdictOn(rules, call, text, usual);
  }
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
): RuleVerdict {
  const rule = rules.find((one) => fitsTool(one.tool, call) && fitsText(one, text));
  return { decide: rule?.decide ?? usual, rule, text };
}

/** Tests a text for a rule. An unknown text surely isn't one that is allowed, and may be one that isn't. */
const fitsText = ({ match, decide }: PermissionRule, text: string | null) =>
  match === undefined || (text === null ? decide !== "allow" : fitsGlob(match, text));

/** Whether a tool is meant by its name, its pack, `server.*`, `apps` or `*`. */
export function fitsTool(wanted: string, { tool, inApp = false }: Pick<JudgedCall, "tool" | "inApp">): boolean {
  if (wanted === "*" || wanted === tool) return true;
  if (Object.hasOwn(packs, wanted)) return (packs[wanted] ?? []).includes(tool) || (wanted === "apps" && inApp);
  return wanted === "apps" ? inApp : wanted.endsWith(".*") && wanted === `${sourceOf(tool)}.*`;
}
