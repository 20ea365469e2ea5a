/** The URIs of what the journal shows: `journal://` and then the path that search_journal gives, or `runs/<id>`. Pure. */
import { AgentId, isDay, namePattern } from "../../protocol/names/names.ts";

export type ResourcePlace =
  | { kind: "day"; day: string }
  | { kind: "facet"; facet: string }
  | { kind: "file"; path: string }
  | { kind: "run"; agentId: string };

const scheme = "journal://";

export const uriOf = (path: string) => `${scheme}${path.split("/").map(encodeURIComponent).join("/")}`;

/**
 * Finds the place that a URI points to; undefined for one that can't be anything here. Whether it is there, and may be
 * seen, is asked later.
 */
export function placeOfUri(uri: string): ResourcePlace | undefined {
  if (!uri.startsWith(scheme)) return undefined;
  const path = decoded(uri.slice(scheme.length));
  if (path === undefined) return undefined;
  const [top = "", second = "", ...rest] = path.split("/");
  if (top === "runs")
    return rest.length === 0 && AgentId.safeParse(second).success ? { kind: "run", agentId: second } : undefined;
  if (top === "facets") {
    if (!namePattern.test(second)) return undefined;
    return rest.length === 0 ? { kind: "facet", facet: second } : { kind: "file", path };
  }
  if (!isDay(top)) return undefined;
  return path === top ? { kind: "day", day: top } : { kind: "file", path };
}

/** The templates of the URIs. `{+path}` may have slashes. */
export const templates = {
  day: {
    uriTemplate: `${scheme}{day}`,
    name: "day",
    title: "A day",
    description: "The events of a day, YYYYMMDD, in all facets, and its files.",
    mimeType: "text/markdown",
  },
  dayFile: {
    uriTemplate: `${scheme}{day}/{+path}`,
    name: "day_file",
    title: "A file of a day",
    description: "Notes, transcripts, and results that runs saved.",
  },
  facet: {
    uriTemplate: `${scheme}facets/{facet}`,
    name: "facet",
    title: "A facet",
    description: "A facet of the user's life or work: its subject, its people and things, and its files.",
    mimeType: "text/markdown",
  },
  facetFile: {
    uriTemplate: `${scheme}facets/{facet}/{+path}`,
    name: "facet_file",
    title: "A file of a facet",
    description: "Events, todos and news, by day.",
  },
  run: {
    uriTemplate: `${scheme}runs/{agent_id}`,
    name: "run",
    title: "A run",
    description: "The run of an agent: its prompt, its work and its answer, a line of JSON an event.",
    mimeType: "application/jsonl",
  },
} as const;

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const mimeTypes: Readonly<Record<string, string>> = {
  md: "text/markdown",
  txt: "text/plain",
  json: "application/json",
  jsonl: "application/jsonl",
  csv: "text/csv",
  html: "text/html",
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp3: "audio/mpeg",
  m4a: "audio/mp4",
  wav: "audio/wav",
};

/** By a file's name; undefined where that says nothing. */
export function mimeTypeOf(path: string): string | undefined {
  const extension = path.split("/").at(-1)?.split(".").at(-1)?.toLowerCase() ?? "";
  return Object.hasOwn(mimeTypes, extension) ? mimeTypes[extension] : undefined;
}
