/** The tools that agents may have: listed by pack, and called as an agent would. */
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { ownersPacks, packs } from "../../../protocol/settings/packs.ts";
import type { Machine } from "../../machine/machine.ts";
import { callTool, type ToolResult, withTools } from "./tool-client.ts";

type Journal = Pick<Machine, "journal">;

const [longestText, longestField] = [200_000, 20_000];

export async function listTools(machine: Journal) {
  // By hand: the client's own way keeps the list for what nobody here asks.
  const { tools } = await withTools(machine, (client) => client.request({ method: "tools/list" }));
  const { sources } = await readToolCatalog(machine.journal);
  const items = tools.map(({ name, title = null, description = "", inputSchema, annotations }) => ({
    name,
    pack: packOf(name),
    title: title ?? annotations?.title ?? null,
    description,
    schema: inputSchema,
    reads_only: annotations?.readOnlyHint === true,
  }));
  return {
    items,
    next: null,
    sources: sources.map(({ name, kind, state, error, problems }) => ({ name, kind, state, error, problems })),
  };
}

/** Finds the pack of a tool: those of servers and apps begin with their names. */
function packOf(name: string): string | null {
  const pack = Object.entries({ ...packs, ...ownersPacks }).find(([, names]) => names.includes(name));
  return pack?.[0] ?? (name.includes(".") ? (name.split(".")[0] ?? null) : null);
}

export async function callOne(
  machine: Journal,
  { name, arguments: args }: { name: string; arguments: Record<string, unknown> },
) {
  const { isError, content, structuredContent } = await callTool(machine, name, args).catch(failed);
  const parts = Array.isArray(content) ? content.map(textOf) : [];
  return {
    is_error: isError === true,
    text: parts.join("\n").slice(0, longestText).toWellFormed(),
    structured: isRecord(structuredContent) ? cutStrings(structuredContent, longestField) : null,
  };
}

/** Makes an answer of the protocol's error about a call that failed, such as one that took too long. */
function failed(error: unknown): ToolResult {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") throw error;
  return { isError: true, content: [{ type: "text", text: error.message }] };
}

function textOf(part: unknown): string {
  if (!isRecord(part)) return "";
  if (typeof part["text"] === "string") return part["text"];
  return `[${typeof part["type"] === "string" ? part["type"] : "part"}]`;
}
