/** Asks Brave Search: `/res/v1/web/search`. A limit of a second is waited for, one of a month is told. */
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ToolError } from "../tool/tool-error.ts";
import type { FoundPage } from "../tool/tool.ts";
import { askForJson, type JsonAnswer } from "./ask-for-json.ts";
import { pageText } from "../../files/page-text.ts";

const text = z.string().nullish();

const Answer = z.object({
  /** Absent where nothing was found. */
  web: z.object({ results: z.array(z.object({ url: text, title: text, description: text }).catch({})) }).nullish(),
});

const Refusal = z.object({ error: z.object({ code: text, detail: text }) });

/** The most that the API takes. */
const maxCount = 20;
const maxQueryCharacters = 400;
const maxQueryWords = 50;
const maxTries = 3;
const longestWaitSeconds = 5;
const maxSnippetCharacters = 1_000;

/** @throws ToolError */
export async function askBrave(
  { url, key }: { url: string; key: string },
  { query, count }: { query: string; count: number },
  signal: AbortSignal | undefined,
): Promise<FoundPage[]> {
  const address = new URL("/res/v1/web/search", url);
  const q = query.split(/\s+/).slice(0, maxQueryWords).join(" ").slice(0, maxQueryCharacters).toWellFormed();
  address.search = new URLSearchParams({ q, count: String(Math.min(count, maxCount)) }).toString();
  for (let tries = 1; ; tries++) {
    const answer = await askForJson(address, { "X-Subscription-Token": key }, signal);
    if (answer.status === 200) return pagesOf(answer.json);
    const seconds = answer.status === 429 ? secondsToWait(answer.headers) : Infinity;
    if (tries === maxTries || seconds > longestWaitSeconds) throw refusalOf(answer, seconds);
    await delay(seconds * 1000, undefined, signal && { signal });
  }
}

async function pagesOf(json: unknown): Promise<FoundPage[]> {
  const { success, data } = Answer.safeParse(json);
  if (!success) throw new ToolError("Brave Search answered with something that isn't a list of results");
  return Promise.all(
    (data.web?.results ?? []).map(async ({ url, title, description }) => ({
      url: url ?? "",
      title: await plain(title ?? ""),
      snippet: await plain(description ?? ""),
    })),
  );
}

/** Words that fit are marked up, and signs written as in HTML. */
async function plain(html: string): Promise<string> {
  return (await pageText(html.slice(0, 4 * maxSnippetCharacters), "https://search.brave.com/", maxSnippetCharacters))
    .text;
}

/**
 * How long until the limit that was reached is reset: the API has several, of a second and of a month, each at its place in
 * three lists ("1, 15000", "0, 14523", "1, 1419704").
 */
function secondsToWait(headers: JsonAnswer["headers"]): number {
  const list = (name: string) => (headers.get(`x-ratelimit-${name}`) ?? "").split(",").map(Number);
  const [remaining, reset] = [list("remaining"), list("reset")];
  const reached = reset.filter((seconds, at) => Number.isFinite(seconds) && !((remaining[at] ?? 0) > 0));
  const after = Number(headers.get("retry-after") ?? Number.NaN);
  return Math.max(1, ...(Number.isFinite(after) ? [after] : headers.has("x-ratelimit-reset") ? reached : []));
}

function refusalOf({ status, json }: JsonAnswer, seconds: number): ToolError {
  const { code, detail } = Refusal.safeParse(json).data?.error ?? {};
  const says = [code, detail].filter((part) => part).join(": ");
  const why = says === "" ? "" : ` (${says.slice(0, 200)})`;
  if (status === 429)
    return new ToolError(`Brave Search has reached the limit of the key${why}: search again in ${inWords(seconds)}`);
  if (status === 401 || status === 403 || code === "SUBSCRIPTION_TOKEN_INVALID")
    return new ToolError(`Brave Search refuses the key${why}: check web_search in cortex.json, or BRAVE_API_KEY`);
  return new ToolError(`Brave Search answered ${status}${why}`);
}

function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`;
}
