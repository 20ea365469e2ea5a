/** Plays a SearXNG and Brave Search: their answers, their refusals and their limits, as they are on the wire. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpServer, startHttpServer } from "./network/http-server.ts";

type Result = { title: string; url: string; text: string };

export type PlayedSearch = HttpServer & {
  /** The queries, in order. */
  queries: string[];
};

type SearxngOptions = {
  results?: Result[];
  /** Engines that didn't answer, and why. */
  silent?: [engine: string, why: string][];
  /** Answers so instead. */
  answer?: (response: ServerResponse) => void;
};

/** As SearXNG answers: `json` is refused with 403 where its settings don't name it. */
export async function playSearxng({ results = [], silent = [], answer }: SearxngOptions): Promise<PlayedSearch> {
  const queries: string[] = [];
  const server = await startHttpServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    if (request.method !== "GET" || pathname !== "/search") return refuse(response, 404);
    // A request without a query, or of another format, gets the page for people.
    if (searchParams.get("format") !== "json") return response.setHeader("Content-Type", "text/html").end("<html>");
    const query = searchParams.get("q") ?? "";
    queries.push(query);
    if (answer) return answer(response);
    return sendJson(response, 200, {
      query,
      number_of_results: 0,
      results: results.map(({ title, url, text }, at) => ({
        url,
        title,
        content: text,
        publishedDate: null,
        thumbnail: "",
        engine: "duckduckgo",
        template: "default.html",
        parsed_url: ["https", "x", "/", "", "", ""],
        img_src: "",
        priority: "",
        engines: ["duckduckgo", "startpage"],
        positions: [at + 1],
        score: 1 / (at + 1),
        category: "general",
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: silent,
    });
  });
  return Object.assign(server, { queries });
}

type BraveOptions = {
  key: string;
  results?: Result[];
  /** Requests of a second, and of a month, that the key has left; each is reset after so many seconds. */
  left?: { second: number; month: number; secondResets?: number };
};

/** As Brave answers: words that fit are in `<strong>`, other signs are those of HTML. */
export async function playBrave({ key, results = [], left }: BraveOptions): Promise<PlayedSearch> {
  const queries: string[] = [];
  const limit = { second: 1_000, month: 15_000, secondResets: 1, ...left };
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    if (pathname !== "/res/v1/web/search") return refuse(response, 404);
    if (request.headers["x-subscription-token"] !== key)
      return sendError(response, 422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.");
    const [query, count] = [searchParams.get("q") ?? "", Number(searchParams.get("count") ?? 20)];
    if (query === "" || query.length > 400 || query.split(" ").length > 50 || !(count >= 1 && count <= 20))
      return sendError(response, 422, "VALIDATION", "Unable to validate request parameter(s)");
    queries.push(query);
    const isAllowed = limit.second > 0 && limit.month > 0;
    response.setHeader("X-RateLimit-Limit", "1, 15000");
    response.setHeader("X-RateLimit-Policy", "1;w=1, 15000;w=2592000");
    response.setHeader("X-RateLimit-Remaining", `${Math.max(0, limit.second - 1)}, ${Math.max(0, limit.month - 1)}`);
    response.setHeader("X-RateLimit-Reset", `${limit.secondResets}, 1419704`);
    if (!isAllowed) {
      // A second later it has requests again.
      if (limit.month > 0) limit.second = 1;
      return sendError(response, 429, "RATE_LIMITED", "Request rate limit exceeded for plan.");
    }
    limit.second--;
    limit.month--;
    const found = results.slice(0, count).map(({ title, url, text }) => ({
      title,
      url,
      is_source_local: false,
      is_source_both: false,
      description: text,
      language: "en",
      family_friendly: true,
      type: "search_result",
      subtype: "generic",
      meta_url: { scheme: "https", netloc: "x", hostname: "x", favicon: "", path: "" },
    }));
    return sendJson(response, 200, {
      type: "search",
      query: { original: query, show_strict_warning: false, is_navigational: false, country: "us" },
      mixed: { type: "mixed", main: found.map((_, index) => ({ type: "web", index, all: false })), top: [], side: [] },
      ...(found.length > 0 && { web: { type: "search", results: found, family_friendly: true } }),
    });
  };
  return Object.assign(await startHttpServer(answer), { queries });
}

function sendError(response: ServerResponse, status: number, code: string, detail: string): void {
  const error = { id: "0b1c", status, detail, meta: {}, code };
  sendJson(response, status, { type: "ErrorResponse", error, time: 1_736_380_800 });
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "Content-Type": "text/html" }).end(`<title>${status}</title>`);
}
