/** The rules that "always" keeps for a call: as narrow as what was asked about. Pure. */
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import type { RuleVerdict } from "./rules.ts";
import { globOf } from "../../protocol/names/text-glob.ts";

/** As long as a rule's `match` may be. */
const maxMatch = 1000;

/**
 * The rules of `always`: of a shell line each command that was asked about, as it stands; of another tool its main
 * argument where a rule looks at that, else the tool as a whole.
 * @param ofPersona the rules that go before those of the settings: what one of them asks about, no rule there could allow
 * @returns none where no rule can say it
 */
export function rulesOfAlways(
  tool: string,
  asking: readonly RuleVerdict[],
  ofPersona: readonly PermissionRule[],
): PermissionRule[] {
  const rules = asking.map((verdict) => ruleFor(tool, verdict, ofPersona));
  const known = rules.flatMap((rule) => (rule ? [rule] : []));
  if (known.length < rules.length) return [];
  return [...new Map(known.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function ruleFor(
  tool: string,
  { rule, text }: RuleVerdict,
  ofPersona: readonly PermissionRule[],
): PermissionRule | null {
  if (rule !== undefined && ofPersona.includes(rule)) return null;
  if (tool !== "bash" && rule?.match === undefined) return { tool, decide: "allow" };
  const match = text === null || text === "" ? null : globOf(text);
  return match === null || match.length > maxMatch ? null : { tool, match, decide: "allow" };
}
