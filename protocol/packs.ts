/** The packs of tools by name, and what a request's `tools` stands for. mcp-tools has the tools themselves. */

export const packs: Readonly<Record<string, readonly string[]>> = {
  journal: ["search_journal", "get_events", "get_facet", "get_resource"],
  todo: ["todo_list", "todo_add", "todo_done", "todo_cancel", "todo_upcoming"],
  facets: ["get_facet", "list_facets", "facet_news"],
  entities: ["entity_list", "entity_detect", "entity_attach", "entity_update", "entity_add_aka"],
  voice: ["reply", "current_time", "session_archive_read", "use_skill"],
  memory: ["memory_list", "memory_read", "memory_write", "memory_patch", "memory_append"],
  tasks: ["spawn_subagent", "resume_task", "task_list", "task_status", "task_replay"],
  background: ["notify", "send_agent_message", "request_permission"],
  files: ["read", "write", "edit", "grep", "glob", "ls"],
  web: ["web_fetch"],
};

/** The tools that change nothing, as their annotations say. */
export const readOnlyTools: ReadonlySet<string> = new Set([
  "search_journal",
  "get_events",
  "get_facet",
  "get_resource",
  "list_facets",
  "todo_list",
  "todo_upcoming",
  "entity_list",
  "current_time",
  "session_archive_read",
  "use_skill",
  "memory_list",
  "memory_read",
  "task_list",
  "task_status",
  "task_replay",
  "notify",
  "read",
  "grep",
  "glob",
  "ls",
  "web_fetch",
]);

/** The packs of a request that names none. `default` stands for them. */
const defaultPacks = ["journal"];

/** Every tool of every pack. */
export const allTools: readonly string[] = [...new Set(Object.values(packs).flat())];

/** The names in a `tools` string. */
export function splitTools(tools: string | undefined): string[] {
  return (tools ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * The names of the tools that `tools` stands for. A string is a list of packs: their union in order, no name twice; for an
 * unknown pack, which the caller should warn about, the default one. An array is exactly those names, and `server.*` is all
 * of a server's.
 * @param outside what else stands for several tools: outside servers and apps. A built-in pack wins over one of its name
 */
export function expandTools(
  tools: string | string[] | undefined,
  outside: Readonly<Record<string, readonly string[]>> = {},
): { names: string[]; unknownPacks: string[] } {
  const known: Readonly<Record<string, readonly string[]>> = { apps: [], ...outside, ...packs };
  if (Array.isArray(tools)) {
    const names = tools.flatMap((name) => {
      const source = name.endsWith(".*") ? name.slice(0, -2) : "";
      return Object.hasOwn(outside, source) ? (outside[source] ?? []) : [name];
    });
    return { names: [...new Set(names)], unknownPacks: [] };
  }
  const wanted = splitTools(tools);
  const isKnown = (name: string) => Object.hasOwn(known, name);
  const unknownPacks = [...new Set(wanted.filter((name) => name !== "default" && !isKnown(name)))];
  const used = (wanted.length > 0 ? wanted : ["default"]).flatMap((name) => (isKnown(name) ? [name] : defaultPacks));
  return { names: [...new Set(used.flatMap((name) => known[name] ?? []))], unknownPacks };
}
