/**
 * A local server that plays the model of a coding agent, in the dialects of Anthropic, OpenAI and Google: it streams what
 * `coder-script.ts` says.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { startHttpServer } from "../network/http-server.ts";
import { anthropicDialect } from "./anthropic-dialect.ts";
import { nextAnswer, resultsIn } from "./coder-script.ts";
import type { Body } from "./played-dialect.ts";
import { googleDialect } from "./google-dialect.ts";
import { openaiDialect } from "./openai-dialect.ts";

export type AskedModel = { path: string; headers: IncomingMessage["headers"]; body: Body; results: string[] };

export type CoderModel = AsyncDisposable & {
  url: string;
  /** The calls of the model in a conversation that has a script. */
  asked: AskedModel[];
  /** Answers what is held under a name, now and later. */
  release(name: string): void;
};

const dialects = [anthropicDialect, openaiDialect, googleDialect];

export async function playCoderModel(): Promise<CoderModel> {
  const asked: AskedModel[] = [];
  const held = new Map<string, PromiseWithResolvers<void>>();
  const heldBy = (name: string) => {
    const known = held.get(name) ?? Promise.withResolvers<void>();
    held.set(name, known);
    return known;
  };
  const server = await startHttpServer(async (request, response) => {
    const path = request.url ?? "";
    const dialect = dialects.find((one) => one.isCall(path));
    const sent = await text(request);
    if (!dialect || request.method !== "POST") return json(response, otherAnswer(path));
    const body = JSON.parse(sent) as Body;
    const said = dialect.saidIn(body);
    const answer = nextAnswer(said, dialect.toolsIn(body));
    if (said.some((one) => one.from === "user" && one.text.includes("DO [")))
      asked.push({ path, headers: request.headers, body, results: resultsIn(said) });
    if (answer.held !== undefined) await heldBy(answer.held).promise;
    if (!dialect.isStreamed(path, body)) return json(response, dialect.whole(answer, body, asked.length));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(dialect.frames(answer, body, asked.length).join(""));
  });
  const url = server.url.replace(/\/$/, "");
  return {
    url,
    asked,
    release: (name) => heldBy(name).resolve(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const otherAnswer = (path: string) => Object.assign({}, ...dialects.map((one) => one.other(path))) as Body;

function json(response: ServerResponse, body: Body): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
