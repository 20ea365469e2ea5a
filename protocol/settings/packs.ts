/** The packs of tools by name, and what a request's `tools` stands for. mcp-tools has the tools themselves. */

export const packs: Readonly<Record<string, readonly string[]>> = {
  journal: ["search_journal", "get_events", "get_facet", "get_resource"],
  todo: ["todo_list", "todo_add", "todo_done", "todo_cancel", "todo_upcoming"],
  facets: ["get_facet", "list_facets", "facet_news"],
  entities: ["entity_list", "entity_detect", "entity_attach", "entity_update", "entity_add_aka"],
  voice: ["reply", "current_time", "session_archive_read", "search_history", "use_skill"],
  memory: ["memory_list", "memory_read", "memory_search", "memory_write", "memory_patch", "memory_append"],
  tasks: ["spawn_subagent", "resume_task", "task_list", "task_status", "task_wait", "task_replay"],
  background: ["notify", "send_agent_message", "request_permission"],
  files: ["read", "write", "edit", "grep", "glob", "ls", "save"],
  web: ["web_fetch", "web_search"],
  exec: ["bash", "process_list", "process_output", "process_input", "process_stop"],
  basics: ["current_time", "use_skill"],
  threads: ["search_threads"],
};

/** The packs that only the owner's own clients have, with the commands' token: no request and no persona can name them. */
export const ownersPacks: Readonly<Record<string, readonly string[]>> = { cortex: ["cortex_run", "cortex_result"] };

/** Every tool of these. */
export const ownersTools: readonly string[] = Object.values(ownersPacks).flat();

/**
 * The names that stand for tools of several external servers and apps: of all apps, of all that there are, and those of
 * them that change nothing.
 */
export const externalGroups = ["apps", "external", "external-reads"] as const;

type Source = {
  name: string;
  kind: "server" | "app";
  tools: readonly string[];
  read_only?: readonly string[] | undefined;
};

/** The names that stand for tools of external servers and apps: each by its own, and the groups. */
export function externalPacks(sources: readonly Source[]): Record<string, readonly string[]> {
  const groups: Record<(typeof externalGroups)[number], readonly string[]> = {
    apps: sources.filter(({ kind }) => kind === "app").flatMap(({ tools }) => tools),
    external: sources.flatMap(({ tools }) => tools),
    "external-reads": sources.flatMap(({ read_only = [] }) => read_only),
  };
  return { ...groups, ...Object.fromEntries(sources.map(({ name, tools }) => [name, tools])) };
}

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
  "search_history",
  "use_skill",
  "memory_list",
  "memory_read",
  "memory_search",
  "task_list",
  "task_status",
  "task_wait",
  "task_replay",
  "notify",
  "read",
  "grep",
  "glob",
  "ls",
  "web_fetch",
  "web_search",
  "process_list",
  "process_output",
  "search_threads",
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

/** The tools that a `tools` field stands for, and those of its names that nothing is called. */
export type ExpandedTools = { names: string[]; unknown: string[] };

/**
 * Expands a `tools` field. A string is a list of packs: their union in order, no name twice. An array is exactly those
 * tools. In both, `server.*` is all tools of an external server or an app, and `server.tool` is one of them.
 * @param external what else stands for several tools: external servers and apps. A built-in pack wins over one of its name
 */
export function expandTools(
  tools: string | string[] | undefined,
  external: Readonly<Record<string, readonly string[]>> = {},
): ExpandedTools {
  const outside: typeof external = { ...externalPacks([]), ...external };
  const known: Readonly<Record<string, readonly string[]>> = {
    ...outside,
    ...packs,
    default: defaultPacks.flatMap((name) => packs[name] ?? []),
  };
  const wanted = Array.isArray(tools) ? tools : splitTools(tools);
  const isKnown = Array.isArray(tools)
    ? (name: string) => allTools.includes(name)
    : (name: string) => Object.hasOwn(known, name);
  const unknown: string[] = [];
  const expanded = wanted.flatMap((name) => {
    const source = sourceOf(name);
    if (source !== null && name === `${source}.*` && Object.hasOwn(outside, source)) return outside[source] ?? [];
    if (source !== null && Object.hasOwn(external, source) && (!isGroup(source) || external[source]?.includes(name)))
      return [name];
    if (!isKnown(name)) unknown.push(name);
    if (Array.isArray(tools)) return [name];
    return isKnown(name) ? (known[name] ?? []) : [];
  });
  const isDefault = !Array.isArray(tools) && wanted.length === 0;
  return { names: [...new Set(isDefault ? known["default"] : expanded)], unknown: [...new Set(unknown)] };
}

const isGroup = (name: string) => externalGroups.some((group) => group === name);

/** The external server or app in `server.tool`, or null. */
export function sourceOf(name: string): string | null {
  const at = name.indexOf(".");
  return at === -1 ? null : name.slice(0, at);
}
