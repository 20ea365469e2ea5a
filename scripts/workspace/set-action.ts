/** `cortex workspace set`: what a workspace is set to, one key at a time. */
import { text as readAll } from "node:stream/consumers";
import { z } from "zod";
import { answered, type ApiRecord } from "../../web/client/workspace-client.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";
import { type WorkspaceUpdate, WorkspaceUpdate as Update } from "../../workspace/records/people.ts";
import { columns } from "../command/layout/columns.ts";
import { unknownName, usageError } from "../command/command.ts";
import { agentsOf } from "./agents/agents-file.ts";
import { printResult, type WorkspaceLink } from "./lookup/workspace-link.ts";

type Workspace = ApiRecord<"Workspace">;

/** `example` is shown where a value can't be used. `read`: what somebody typed, as the field's value. */
type Key = { valueIn: (workspace: Workspace) => unknown; read: (typed: string) => WorkspaceUpdate; example: string };

const none = "none";
const words: Readonly<Record<string, boolean>> = { on: true, true: true, off: false, false: false };

const flag = (name: "thread_summaries" | "fork_suggestions" | "personas"): Key => ({
  valueIn: ({ settings }) => settings[name],
  read: (typed) => ({ settings: { [name]: words[typed] ?? typed } }) as WorkspaceUpdate,
  example: `cortex workspace set ${name} on (or off)`,
});

const keys: Readonly<Record<string, Key>> = {
  name: {
    valueIn: ({ name }) => name,
    read: (name) => ({ name }),
    example: 'cortex workspace set name "Garden"',
  },
  trust_level: {
    valueIn: ({ trust_level }) => trust_level,
    read: (typed) => ({ trust_level: jsonIn(typed) }) as WorkspaceUpdate,
    example: "cortex workspace set trust_level 2 (0: everything asks; 3: only what escalates does)",
  },
  budget: {
    valueIn: ({ budget }) => budget,
    read: (typed) => ({ budget: budgetIn(typed) }) as WorkspaceUpdate,
    example: `cortex workspace set budget 5 (in USD a day; or '{"max_cost_usd": 5, "max_cost_usd_per_agent": 1}', or ${none})`,
  },
  resolver: {
    valueIn: ({ settings }) => settings.resolver,
    read: (typed) => ({ settings: { resolver: typed.replace(/^@/, "") } }),
    example: "cortex workspace set resolver _fork-resolver",
  },
  approval_rules: {
    valueIn: ({ settings }) => settings.approval_rules,
    read: (typed) => ({ settings: { approval_rules: typed === none ? [] : jsonIn(typed) } }) as WorkspaceUpdate,
    example: `cortex workspace set approval_rules '[{"action": "bash", "requires": "admin"}]' (or ${none}, or - for standard input)`,
  },
  personas: flag("personas"),
  thread_summaries: flag("thread_summaries"),
  fork_suggestions: flag("fork_suggestions"),
};

/** @param given the key and its value; without a value it is shown, without both all of them are */
export async function setAction(
  link: WorkspaceLink,
  workspace: Workspace,
  [name, typed]: string[],
  json: boolean,
): Promise<number> {
  if (name === undefined) {
    const all = Object.entries(keys).map(([key, { valueIn }]) => [key, valueIn(workspace)] as const);
    return printResult(json, Object.fromEntries(all), () =>
      columns([["KEY", "VALUE"], ...all.map(([key, value]) => [key, shown(value)])]),
    );
  }
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (!key) throw unknownName("key", name, Object.keys(keys), "cortex workspace set");
  if (typed === undefined)
    return printResult(json, { [name]: key.valueIn(workspace) }, () => shown(key.valueIn(workspace)));
  const body = updateOf(name, key, typed === "-" ? (await readAll(process.stdin)).trim() : typed);
  if (body.settings?.resolver !== undefined) await requireAgent(link, workspace.id, body.settings.resolver);
  const params = { path: { w: workspace.id } };
  const updated = await answered(link.client.PATCH("/api/v1/workspaces/{w}", { params, body }));
  const value = key.valueIn(updated);
  return printResult(json, { ok: true, [name]: value }, () => `${name} of "${updated.name}" is ${shown(value)} now`);
}

/** @throws CommandError */
function updateOf(name: string, { read, example }: Key, typed: string): WorkspaceUpdate {
  const parsed = Update.safeParse(read(typed));
  if (parsed.success) return parsed.data;
  throw usageError(`${name} "${typed}": ${z.prettifyError(parsed.error)}`, `for example: ${example}`);
}

async function requireAgent(link: WorkspaceLink, workspaceId: string, slug: string): Promise<void> {
  const active = (await agentsOf(link, workspaceId)).filter(({ is_active }) => is_active).map((agent) => agent.slug);
  if (!active.includes(slug)) throw unknownName("agent", slug, active, "cortex workspace set resolver");
}

/** Parses a value; one that isn't JSON stays text, and the schema says what is expected. */
function jsonIn(typed: string): unknown {
  const value = tryParseJson(typed);
  return value === undefined ? typed : value;
}

function budgetIn(typed: string): unknown {
  if (typed === none) return null;
  const value = jsonIn(typed);
  return typeof value === "number" ? { max_cost_usd: value } : value;
}

const shown = (value: unknown): string => {
  if (value === null) return none;
  if (typeof value === "boolean") return value ? "on" : "off";
  return typeof value === "string" ? value : JSON.stringify(value);
};
