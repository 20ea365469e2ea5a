/** The notes on names in `tools` that nothing is called: which was probably meant, and which there are. Pure. */
import { nearestName } from "../../protocol/words/nearest-name.ts";
import { allTools, externalGroups, packs, sourceOf } from "../../protocol/settings/packs.ts";
import type { Request } from "../../protocol/runs/request/request.ts";

/**
 * @param known servers, apps and their tools, as far as they were looked at
 * @returns null where there is no such name
 */
export function unknownTools(
  unknown: readonly string[],
  tools: Request["tools"],
  { names }: { names: readonly string[] },
): string | null {
  if (unknown.length === 0) return null;
  const packNames = [
    ...Object.keys(packs),
    ...externalGroups,
    "default",
    ...names.filter((name) => sourceOf(name) === null),
  ];
  const toolNames = [...allTools, ...names.filter((name) => sourceOf(name) !== null)];
  const meant = Array.isArray(tools) ? toolNames : [...packNames, ...toolNames.filter((name) => name.includes("."))];
  const told = unknown.map((name) => {
    const nearest = nearestOf(name, meant, packNames);
    return nearest === null ? `"${name}"` : `"${name}" (did you mean "${nearest}"?)`;
  });
  const all = Array.isArray(tools)
    ? "see cortex tools list"
    : `known are ${packNames.join(", ")}, and server.tool for one`;
  return `unknown ${unknown.length === 1 ? "name" : "names"} in tools: ${told.join(", ")}; ${all}`;
}

/** Also where the server is misspelt, and its tools aren't known. */
function nearestOf(name: string, meant: readonly string[], packNames: readonly string[]): string | null {
  const whole = nearestName(name, meant);
  const source = sourceOf(name);
  if (whole !== null || source === null) return whole;
  const nearest = nearestName(source, packNames);
  return nearest === null || nearest === source ? null : `${nearest}${name.slice(source.length)}`;
}
