/** Prompts: each persona, as instructions for a client's own model. What a run of it would be told is there: day, facet, request. */
import {
  type Prompt,
  type PromptMessage,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { loadPersonas } from "../../personas/load.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { isDay, namePattern } from "../../protocol/names/names.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import { readUri } from "./resources.ts";
import { uriOf } from "./resource-uris.ts";
import { rightsOf, type RequestContext } from "./request-context.ts";

const Arguments = z.strictObject({
  prompt: z.string().max(100_000, "expected at most 100000 characters").optional(),
  facet: z.string().regex(namePattern, "expected a facet's name").optional(),
  day: z.string().refine(isDay, "expected a day, YYYYMMDD").optional(),
});
type Arguments = z.infer<typeof Arguments>;

export const promptArguments = Object.keys(Arguments.shape);

export function servePrompts(server: Server, { grant, context: { journal } }: RequestContext): void {
  const rights = rightsOf(grant);
  server.setRequestHandler("prompts/list", () => ({ prompts: offered(journal).map(promptOf) }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const persona = offeredPersona(journal, params.name);
    const args = parseArguments(persona, params.arguments ?? {});
    const named = [args.facet === undefined ? [] : [`facets/${args.facet}`], args.day === undefined ? [] : [args.day]];
    const attached = rights.files ? named.flat().map((path) => readUri(journal, rights, uriOf(path))) : [];
    return {
      description: promptOf(persona).description,
      messages: [
        ...attached.map((resource): PromptMessage => ({ role: "user", content: { type: "resource", resource } })),
        { role: "user", content: { type: "text", text: textOf(persona, args) } },
      ],
    };
  });
}

/** @throws ProtocolError if there is no such persona */
export function offeredPersona(journal: string, name: string): Persona {
  const personas = offered(journal);
  const persona = personas.find((one) => one.name === name);
  if (persona) return persona;
  const names = personas.map((one) => one.name);
  const nearest = nearestName(name, names);
  const hint = nearest ? `did you mean "${nearest}"?` : `the prompts are ${names.join(", ")}`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt "${name.slice(0, 100)}": ${hint}`);
}

function offered(journal: string): Persona[] {
  const { personas } = loadPersonas(journal);
  return [...personas.values()].filter(({ settings }) => !settings.disabled);
}

function promptOf({ name, settings }: Persona): Prompt & { description: string } {
  return {
    name,
    title: settings.title ?? name,
    description: settings.description ?? `The persona "${name}".`,
    arguments: [
      { name: "prompt", description: "Your question to it." },
      { name: "facet", description: "The facet that it is about.", required: isForFacets(settings) },
      { name: "day", description: "The day that it is about, YYYYMMDD.", required: isForDays(settings) },
    ],
  };
}

// What a schedule would tell it, somebody else must.
const isForFacets = (settings: Persona["settings"]) => settings.multi_facet === true;
const isForDays = (settings: Persona["settings"]) => settings.schedule !== undefined;

function parseArguments({ name, settings }: Persona, given: Record<string, string>): Arguments {
  const parsed = Arguments.safeParse(given);
  if (!parsed.success)
    throw invalid(
      name,
      `${issueTexts(parsed.error, given).join("; ")}. Its arguments are ${promptArguments.join(", ")}`,
    );
  const { facet, day } = parsed.data;
  if (isForFacets(settings) && facet === undefined) throw invalid(name, "it needs the argument facet");
  if (isForDays(settings) && day === undefined) throw invalid(name, "it needs the argument day, YYYYMMDD");
  return parsed.data;
}

const invalid = (prompt: string, why: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `prompt "${prompt}": ${why}`);

function textOf({ instruction }: Persona, { prompt, facet, day }: Arguments): string {
  const about = [...(day === undefined ? [] : [`Day: ${day}`]), ...(facet === undefined ? [] : [`Facet: ${facet}`])];
  return [instruction, about.join("\n"), prompt ?? ""].filter((part) => part.trim() !== "").join("\n\n");
}
