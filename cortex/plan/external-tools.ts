/** The tools of external servers and of apps that a request names. mcp-tools knows them and keeps a catalogue; nothing that is missing is passed over in silence. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { listApps } from "../../journal/programs/apps.ts";
import { readToolCatalog, type ToolSource } from "../../journal/programs/tool-catalog.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { externalPacks, packs, sourceOf, splitTools } from "../../protocol/settings/packs.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

export type ExternalTools = {
  /** By the names that stand for them: servers, apps, and groups of these. */
  packs: Record<string, readonly string[]>;
  /** The notes on what is missing, and why. */
  notes: string[];
  /** Tools that were named and that their server, which is connected, doesn't have. */
  unknown: string[];
  /** Every name that could have been meant: servers, apps, and the tools of those that were looked at. */
  names: string[];
};

export const noExternalTools: ExternalTools = { packs: {}, notes: [], unknown: [], names: [] };

/**
 * Milliseconds for which a run waits for a server that is being connected: about as long as one takes that is started
 * here.
 */
const waitMs = 5_000;
const lookEveryMs = 50;

/** Looks up what the merged `tools` name, and waits a little for what isn't connected yet. */
export async function externalTools(journal: string, merged: Request, settings: Settings): Promise<ExternalTools> {
  const { tools, disable_mcp, mcp_server_url } = merged;
  const asked = askedFor(tools);
  if (asked.length === 0 || disable_mcp || mcp_server_url !== undefined) return noExternalTools;
  const servers = Object.keys(settings.mcp_servers ?? {});
  const apps = listApps([packageFile("apps"), join(journal, "apps")])
    .map(({ name }) => name)
    .filter((name) => !servers.includes(name));
  const asksForAll = asked.includes("external") || asked.includes("external-reads");
  const wanted = [...servers, ...apps].filter(
    (name) => asked.includes(name) || asksForAll || (asked.includes("apps") && apps.includes(name)),
  );
  const sources = await settled(journal, wanted);
  const found = wanted.flatMap((name) => sources.get(name) ?? []);
  const offered = found.flatMap(({ tools: names }) => names);
  return {
    packs: {
      ...Object.fromEntries(wanted.map((name) => [name, []])),
      ...externalPacks(found),
      apps: apps.flatMap((name) => sources.get(name)?.tools ?? []),
    },
    notes: [
      ...wanted.flatMap((name) => noteOn(name, sources.get(name)) ?? []),
      ...(asked.includes("apps") && apps.length === 0 ? ['no tools in the pack "apps": the journal has no apps'] : []),
    ],
    unknown: unknownTools(Array.isArray(tools) ? tools : splitTools(tools), sources),
    names: [...servers, ...apps, ...offered],
  };
}

/** The names of what isn't built in. */
function askedFor(tools: Request["tools"]): string[] {
  if (Array.isArray(tools)) return tools.flatMap((name) => sourceOf(name) ?? []);
  const items = splitTools(tools).map((name) => sourceOf(name) ?? name);
  return items.filter((name) => name !== "default" && !Object.hasOwn(packs, name));
}

/** The sources as they are once nothing of them is open, or the time is over. */
async function settled(journal: string, wanted: readonly string[]): Promise<Map<string, ToolSource>> {
  for (const end = performance.now() + waitMs; ; await delay(lookEveryMs)) {
    const { sources } = wanted.length > 0 ? await readToolCatalog(journal) : { sources: [] };
    const known = new Map(sources.map((source) => [source.name, source]));
    const isOpen = wanted.some((name) => {
      const source = known.get(name);
      return !source || (source.state === "connecting" && source.tools.length === 0);
    });
    if (!isOpen || performance.now() > end) return known;
  }
}

function noteOn(name: string, source: ToolSource | undefined): string | null {
  if (source?.state === "ready") return null;
  const why = source?.error ?? `it wasn't connected within ${waitMs / 1000} s`;
  return source && source.tools.length > 0
    ? `"${name}" isn't there at the moment, and its tools may fail: ${why}`
    : `the tools of "${name}" are missing: ${why} (see cortex tools list)`;
}

/** A source that isn't connected may have any tool: what it had last says nothing of what it will have. */
function unknownTools(wanted: string[], sources: ReadonlyMap<string, ToolSource>): string[] {
  return wanted.filter((name) => {
    const source = sources.get(sourceOf(name) ?? "");
    return source?.state === "ready" && name !== `${source.name}.*` && !source.tools.includes(name);
  });
}
