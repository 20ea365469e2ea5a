/** Which tools there are beside the built-in ones, `.run/tools.json`: mcp-tools writes it, cortex and the commands read it. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

/** An outside MCP server, or an app: how it is, and what it offers. */
export const ToolSource = z.object({
  name: z.string(),
  kind: z.enum(["server", "app"]),
  state: z.enum(["connecting", "ready", "failed"]),
  /** Why it isn't ready, or wasn't last time. */
  error: z.string().nullable(),
  /** The names of its tools, as they were when it was ready last. */
  tools: z.array(z.string()),
  /** The tools that change nothing, as their annotations say. */
  read_only: z.array(z.string()).optional(),
  /** The problems of its parts that can't be used, though the rest can. */
  problems: z.array(z.string()),
});
export type ToolSource = z.infer<typeof ToolSource>;

export const ToolCatalog = z.object({ sources: z.array(ToolSource) });
export type ToolCatalog = z.infer<typeof ToolCatalog>;

const catalogFile = (journal: string) => runtime(journal, "tools.json");

export const writeToolCatalog = (journal: string, catalog: ToolCatalog) =>
  replaceFile(catalogFile(journal), `${JSON.stringify(catalog, null, 2)}\n`);

/** The catalogue as it was written last; an empty one when there is none. */
export async function readToolCatalog(journal: string): Promise<ToolCatalog> {
  return readDocument(catalogFile(journal), ToolCatalog) ?? { sources: [] };
}

/** Describes the problems of external servers and apps, one line each. */
export function toolProblems({ sources }: ToolCatalog): string[] {
  return sources.flatMap(({ name, kind, state, error, problems }) => [
    ...(state === "failed" ? [`${kind} "${name}": ${error ?? "it doesn't answer"}`] : []),
    ...problems.map((problem) => `${kind} "${name}": ${problem}`),
  ]);
}
