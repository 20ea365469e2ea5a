/** Asks a SearXNG: `/search?q=…&format=json`. */
import { z } from "zod";
import { ToolError } from "../tool/tool-error.ts";
import type { FoundPage } from "../tool/tool.ts";
import { askForJson } from "./ask-for-json.ts";

const text = z.string().nullish();

const Answer = z.object({
  results: z.array(z.object({ url: text, title: text, content: text }).catch({})),
  /** Pairs of an engine and why it didn't answer. */
  unresponsive_engines: z.array(z.array(z.unknown())).nullish().catch(undefined),
});

/** @param url of the settings, where it may be a path below a host. @throws ToolError */
export async function askSearxng(url: string, query: string, signal: AbortSignal | undefined): Promise<FoundPage[]> {
  const address = new URL("search", url.endsWith("/") ? url : `${url}/`);
  address.search = new URLSearchParams({ q: query, format: "json" }).toString();
  const { status, json } = await askForJson(address, {}, signal);
  const who = `the SearXNG at ${address.origin}`;
  // So it refuses a format that its settings don't name, as they are delivered.
  if (status === 403)
    throw new ToolError(`${who} refuses (403): its settings need "json" among search.formats, and may limit robots`);
  if (status === 429) throw new ToolError(`${who} gets too many requests (429): search again later`);
  if (status !== 200) throw new ToolError(`${who} answered ${status}`);
  const { success, data } = Answer.safeParse(json);
  if (!success) throw new ToolError(`${who} answered with something that isn't a list of results`);
  const silent = (data.unresponsive_engines ?? []).map((pair) => pair.map(String).join(": ").slice(0, 100)).slice(0, 5);
  if (data.results.length === 0 && silent.length > 0)
    throw new ToolError(`${who} found nothing, since its engines didn't answer: ${silent.join(", ")}`);
  return data.results.map(({ url: href, title, content }) => ({
    url: href ?? "",
    title: title ?? "",
    snippet: content ?? "",
  }));
}
