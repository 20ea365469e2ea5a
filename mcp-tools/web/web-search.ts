/** Searches the web by the engine that settings and environment name at that moment, and bounds what it finds. */
import { searchEngine } from "../../journal/programs/web-search.ts";
import { ToolError } from "../tool/tool-error.ts";
import type { FoundPage, WebSearch } from "../tool/tool.ts";
import { askBrave } from "./brave.ts";
import { legibleText } from "../../files/page-text.ts";
import { askSearxng } from "./searxng.ts";

const maxTitleCharacters = 200;
const maxSnippetCharacters = 600;
const maxUrlCharacters = 2_000;

export function webSearchOf(journal: string, env: NodeJS.ProcessEnv): WebSearch {
  return {
    isThere: () => "engine" in searchEngine(journal, env),
    async find(query, count, signal) {
      const found = searchEngine(journal, env);
      if ("problem" in found) throw new ToolError(`nothing searches the web here: ${found.problem}`);
      const { engine } = found;
      const pages =
        engine.kind === "searxng"
          ? await askSearxng(engine.url, query, signal)
          : await askBrave(engine, { query, count }, signal);
      return pages.flatMap(shownPage).slice(0, count);
    },
  };
}

/** Links of other kinds than pages aren't shown, nor what couldn't be read at a glance. */
function shownPage({ title, url, snippet }: FoundPage): FoundPage[] {
  const href = URL.canParse(url) ? new URL(url) : null;
  if (!href || !["http:", "https:"].includes(href.protocol) || href.href.length > maxUrlCharacters) return [];
  return [
    {
      title: line(title, maxTitleCharacters) || href.host,
      url: href.href,
      snippet: line(snippet, maxSnippetCharacters),
    },
  ];
}

/** By the end, so that no half of a character is left. */
const line = (text: string, most: number) =>
  legibleText(text.replaceAll(/\s+/g, " ")).trim().slice(0, most).toWellFormed();
