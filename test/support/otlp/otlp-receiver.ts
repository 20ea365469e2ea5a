/** A receiver of OTLP over HTTP for tests: it holds each body against the official schema, and answers by a rule. */
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type HttpServer, startHttpServer } from "../network/http-server.ts";
import { isOtlpPath, schemaProblems } from "./official-schema.ts";
import { pointsIn, type ReadPoint, type ReadSpan, spansIn } from "./read-otlp.ts";

export type Heard = { path: string; headers: IncomingHttpHeaders; text: string; body: unknown; problems: string[] };

/** Answers a request, or leaves it; `true`: it was taken. */
export type AnswerRule = (response: ServerResponse, heard: Heard) => boolean;

export const takes: AnswerRule = (response) => {
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
  return true;
};

export class OtlpReceiver implements AsyncDisposable {
  /** Every request, in the order in which it came. */
  readonly heard: Heard[] = [];
  /** The requests that were taken. */
  readonly taken: Heard[] = [];
  /** How requests are answered from now on. */
  rule: AnswerRule;
  readonly #server: HttpServer;

  private constructor(server: HttpServer, rule: AnswerRule) {
    this.#server = server;
    this.rule = rule;
  }

  static async start(rule: AnswerRule = takes): Promise<OtlpReceiver> {
    const started: { receiver?: OtlpReceiver } = {};
    const server = await startHttpServer(async (request, response) => {
      const body = await text(request);
      started.receiver?.receive(request.url ?? "", request.headers, body, response);
    });
    return (started.receiver = new OtlpReceiver(server, rule));
  }

  get url(): string {
    return this.#server.url;
  }

  receive(path: string, headers: IncomingHttpHeaders, said: string, response: ServerResponse): void {
    const body: unknown = JSON.parse(said);
    const problems = isOtlpPath(path) ? schemaProblems(path, body) : [`${path}: no path of OTLP's`];
    const heard: Heard = { path, headers, text: said, body, problems };
    this.heard.push(heard);
    if (this.rule(response, heard)) this.taken.push(heard);
  }

  /** All that is wrong with the bodies that came. */
  get problems(): string[] {
    return this.heard.flatMap(({ problems }) => problems);
  }

  /** The spans that were taken. */
  get spans(): ReadSpan[] {
    return this.taken.flatMap(({ path, body }) => (path === "/v1/traces" ? spansIn(body) : []));
  }

  /** The points of metrics as the last body that was taken has them. */
  get points(): ReadPoint[] {
    const last = this.taken.findLast(({ path }) => path === "/v1/metrics");
    return last ? pointsIn(last.body) : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }
}
