/** Completions: what an argument of a prompt or a resource template may be, given its first letters. */
import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import { filesOfDay, listDays } from "../../journal/notes/days.ts";
import { facetFiles, listFacets } from "../../journal/notes/facets.ts";
import { runFiles } from "../../journal/runs/list-runs.ts";
import { isDay } from "../../protocol/names/names.ts";
import { offeredPersona } from "./prompts.ts";
import { templates } from "./resource-uris.ts";
import { type Rights, rightsOf, type RequestContext } from "./request-context.ts";

/** From the protocol. */
const maxValues = 100;

/** So many runs are looked at: a completion is asked for at every key. */
const maxRuns = 10_000;

export function serveCompletions(server: Server, { grant, context: { journal } }: RequestContext): void {
  const rights = rightsOf(grant);
  server.setRequestHandler("completion/complete", ({ params: { ref, argument, context } }) => {
    if (ref.type === "ref/prompt") checkPrompt(journal, rights, ref.name);
    else checkTemplate(rights, ref.uri);
    const candidates = valuesOf(journal, rights, argument.name, context?.arguments ?? {});
    const found = candidates.filter((value) => value.startsWith(argument.value));
    const values = found.slice(0, maxValues);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
}

function checkPrompt(journal: string, { personas }: Rights, name: string): void {
  if (!personas) throw new ProtocolError(ProtocolErrorCode.InvalidParams, "there are no prompts here");
  offeredPersona(journal, name);
}

function checkTemplate({ files }: Rights, uri: string): void {
  const known = Object.values(templates).map(({ uriTemplate }) => uriTemplate);
  if (files && known.some((template) => template === uri)) return;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `no resource template "${uri.slice(0, 200)}": see resources/templates/list`,
  );
}

/** Days and runs the newest first. None for an argument that nothing is known of. */
function valuesOf(journal: string, rights: Rights, argument: string, others: Record<string, string>): string[] {
  if (argument === "day") return listDays(journal).toReversed();
  if (argument === "facet") return listFacets(journal).map(({ name }) => name);
  if (argument === "path" && rights.files) return pathsOf(journal, others);
  if (argument === "agent_id" && rights.runs)
    return runFiles(journal)
      .take(maxRuns)
      .map(({ agentId }) => agentId)
      .toArray();
  return [];
}

/** The paths that complete a template whose other argument is there. */
function pathsOf(journal: string, { day = "", facet = "" }: Record<string, string>): string[] {
  if (isDay(day)) return filesOfDay(journal, day).map(({ path }) => path.slice(`${day}/`.length));
  if (!listFacets(journal).some(({ name }) => name === facet)) return [];
  const paths = (["events", "todos", "news"] as const).flatMap((kind) => facetFiles(journal, facet, kind).toReversed());
  return paths.map((path) => path.slice(`facets/${facet}/`.length));
}
