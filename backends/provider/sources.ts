/** Pages that an answer rests on, as links that stay with the text wherever the conversation goes. Pure. */
import { linkAddress } from "../../protocol/words/link-address.ts";
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import { unmarked } from "../../conversation/marks/system-message.ts";
import type { Source } from "./provider.ts";

/** Sources of an answer that are named at most. */
const maxSources = 20;
const maxTitleCharacters = 200;
const maxUrlCharacters = 2_000;

/** A page that a search names, bounded and as plain text; none where the address isn't one of a page. */
export function sourceOf(url: unknown, title: unknown): Source[] {
  if (typeof url !== "string" || url.length > maxUrlCharacters || !URL.canParse(url)) return [];
  const { protocol, host, href } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:") return [];
  const words = typeof title === "string" ? visibleLine(title).slice(0, maxTitleCharacters).toWellFormed() : "";
  return [{ url: href, title: unmarked(words) || host }];
}

/** The list of links that goes behind a text: those that it doesn't hold already. Empty where there are none. */
export function sourceList(text: string, sources: readonly Source[]): string {
  const byUrl = new Map(sources.map((source) => [source.url, source]));
  const missing = [...byUrl.values()].filter(({ url }) => !text.includes(url)).slice(0, maxSources);
  if (missing.length === 0) return "";
  const lines = missing.map(({ url, title }) => `- [${linkText(title)}](${linkAddress(url)})`);
  return `\n\nSources:\n${lines.join("\n")}`;
}

/** Replaces the characters that would end the link. */
const linkText = (title: string) => title.replaceAll(/[[\]]/g, " ").trim();
