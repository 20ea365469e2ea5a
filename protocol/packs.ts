/** The packs of tools by name, and what a request's `tools` stands for. mcp-tools has the tools themselves. */

export const packs: Readonly<Record<string, readonly string[]>> = {
  journal: ["search_journal", "get_events", "get_facet", "get_resource"],
};

/** The packs of a request that names none. `default` stands for them. */
const defaultPacks = ["journal"];

/** Every tool of every pack. */
export const allTools: readonly string[] = [...new Set(Object.values(packs).flat())];

/**
 * The names of the tools that `tools` stands for. A string is a list of packs: their union in order, no name twice; for an
 * unknown pack, which the caller should warn about, the default one. An array is exactly those names.
 */
export function expandTools(tools: string | string[] | undefined): { names: string[]; unknownPacks: string[] } {
  if (Array.isArray(tools)) return { names: [...new Set(tools)], unknownPacks: [] };
  const wanted = (tools ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  const unknownPacks = [...new Set(wanted.filter((name) => name !== "default" && !Object.hasOwn(packs, name)))];
  const known = (wanted.length > 0 ? wanted : ["default"]).flatMap((name) =>
    Object.hasOwn(packs, name) ? [name] : defaultPacks,
  );
  return { names: [...new Set(known.flatMap((name) => packs[name] ?? []))], unknownPacks };
}
