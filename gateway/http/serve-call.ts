/** Serves a request whose run is known: refuses it, or has it made, counted and recorded. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Exchange, keepExchange } from "../../journal/runs/recorded-calls.ts";
import type { GatewayRights } from "../../journal/access/tokens.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import { tryParseOwnJson } from "../../protocol/json/parse-json.ts";
import type { CallUnderWay, MeteredUsage } from "../../protocol/runs/metering.ts";
import { type ModelProviderName, modelProviders } from "../../protocol/settings/model-providers.ts";
import type { AskedCall, Endpoint } from "../dialects/dialect.ts";
import { dialects } from "../dialects/dialects.ts";
import { likelyTokens, mostTokens, requestBytes } from "../metering/estimate.ts";
import type { Meter } from "../metering/meter.ts";
import { amountOf } from "../metering/prices.ts";
import { usageOf } from "../metering/call-usage.ts";
import { forwardedHeaders, withoutKey } from "./headers.ts";
import { exchange, type ExchangeEnd } from "./model-call.ts";
import { asText, bodyOf } from "./recorder.ts";
import { refuse } from "./refuse.ts";
import { readBytes } from "./request-body.ts";
import type { UpstreamRequest } from "./upstream.ts";

/** Bytes of a request: what the providers take at most. */
const maxBodyBytes = 64 * 1024 * 1024;

/** Bytes of all requests that are being read or answered. */
const maxBodiesBytes = 512 * 1024 * 1024;
let bodiesBytes = 0;

export type CallServer = {
  journal: string;
  meter: Meter;
  /** The environment that a backend's keys and addresses are looked up in. */
  variables: (backend: string) => NodeJS.ProcessEnv;
  idleMs: number;
  log: Logger;
};

/** @field path below the provider's address */
export type AskedPath = { provider: ModelProviderName; path: string; query: string };

type Run = GatewayRights & { agent_id: string };

export async function serveCall(
  request: IncomingMessage,
  answer: ServerResponse,
  { provider, path, query }: AskedPath,
  run: Run,
  server: CallServer,
): Promise<void> {
  const dialect = dialects[provider];
  const { key, address, usual } = modelProviders[provider];
  const env = server.variables(run.backend);
  const secret = env[key];
  if (!run.providers.includes(provider) || !secret)
    return refuse(answer, dialect, "forbidden", `this run has no ${provider}: there is no ${key} for its backend`);
  const endpoint = dialect.endpointOf(request.method ?? "", path);
  if (!endpoint)
    return refuse(answer, dialect, "path", `${request.method} ${path} isn't forwarded: only calls of models are`);
  if (bodiesBytes > maxBodiesBytes) return refuse(answer, dialect, "away", "too much is asked at once: ask again");
  // What a client says of its length is believed up to what is read of it; without a word it counts as the longest.
  const bytes = Math.min(maxBodyBytes, Number(request.headers["content-length"] ?? maxBodyBytes) || 0);
  bodiesBytes += bytes;
  answer.once("close", () => void (bodiesBytes -= bytes));
  const body = await readBytes(request, maxBodyBytes);
  if (!body) return refuse(answer, dialect, "too_long", `the request is too long: at most ${maxBodyBytes} bytes`);
  const leaving = new AbortController();
  answer.once("close", () => leaving.abort());
  const outgoing: UpstreamRequest = {
    url: urlFor(env[address] || usual, path, withoutKey(query)),
    method: request.method ?? "",
    headers: {
      ...forwardedHeaders(request.headersDistinct),
      "accept-encoding": "identity",
      ...dialect.keyHeaders(secret),
    },
    body,
    idleMs: server.idleMs,
  };
  const asked = { request, answer, provider, run, endpoint, outgoing, signal: leaving.signal };
  return endpoint.kind === "call" ? makeCall(asked, server) : makeFreeCall(asked);
}

type Asked = {
  request: IncomingMessage;
  answer: ServerResponse;
  provider: ModelProviderName;
  run: Run;
  endpoint: Endpoint;
  outgoing: UpstreamRequest;
  signal: AbortSignal;
};

async function makeFreeCall({ answer, provider, outgoing, signal }: Asked): Promise<void> {
  const dialect = dialects[provider];
  const end = await exchange(outgoing, answer, { dialect, isRecorded: false, signal });
  sayIfUnanswered(answer, provider, end);
}

async function makeCall(asked: Asked, { journal, meter, log }: CallServer): Promise<void> {
  const { request, answer, provider, run, endpoint, outgoing, signal } = asked;
  const dialect = dialects[provider];
  if ((request.headers["content-encoding"] ?? "identity") !== "identity")
    return refuse(answer, dialect, "request", "a packed request can't be metered: send it as it is");
  const body = tryParseOwnJson(outgoing.body.toString("utf8"));
  if (!isRecord(body)) return refuse(answer, dialect, "request", "the request isn't a JSON object");
  const { models, maxOutputTokens, problem } = dialect.askedOf(body, endpoint);
  if (problem !== undefined) return refuse(answer, dialect, "request", problem);
  const bytes = requestBytes(outgoing.body.length, body);
  const call = await callOf(provider, run.agent_id, { models, maxOutputTokens }, bytes);
  const admission = await meter.begin(call, signal);
  if (!admission.ok) return refuse(answer, dialect, admission.kind, `cortex: ${admission.error}`);
  const ts = Date.now();
  let end: ExchangeEnd | null = null;
  let usage: MeteredUsage | null = null;
  try {
    end = await exchange(outgoing, answer, { dialect, isRecorded: run.record, signal });
    usage = await usageOf(provider, call, bytes, maxOutputTokens, end);
  } finally {
    meter.end(call, usage);
  }
  sayIfUnanswered(answer, provider, end);
  if (!run.record) return;
  const { method, headers } = outgoing;
  const kept: Exchange = {
    ts,
    call: call.call,
    provider,
    request: {
      method,
      path: outgoing.url.pathname + outgoing.url.search,
      headers: asText(forwardedHeaders(request.headersDistinct)),
      body: bodyOf(outgoing.body),
    },
    response: end.response,
    usage,
  };
  await keepExchange(journal, run.agent_id, kept).catch((error: unknown) =>
    log.warn({ agent_id: run.agent_id, headers: Object.keys(headers), err: error }, "an exchange couldn't be kept"),
  );
}

async function callOf(
  provider: ModelProviderName,
  agentId: string,
  { models: named, maxOutputTokens }: AskedCall,
  bytes: number,
): Promise<CallUnderWay> {
  const models = named.slice(0, mostModels).map((model) => model.slice(0, longestModel));
  return {
    agent_id: agentId,
    call: randomUUID(),
    models,
    most: await amountOf(provider, models, mostTokens(bytes, maxOutputTokens)),
    likely: await amountOf(provider, models, likelyTokens(bytes, maxOutputTokens)),
  };
}

const mostModels = 20;
const longestModel = 200;

/** Nothing has come that could be handed back. */
function sayIfUnanswered(answer: ServerResponse, provider: ModelProviderName, { status, error }: ExchangeEnd): void {
  if (status !== null || answer.destroyed) return;
  refuse(answer, dialects[provider], "away", `cortex: ${provider} can't be reached: ${error}`, 502);
}

/** The address of a call. Where both the address and the path begin with the version, it is there once. */
function urlFor(base: string, path: string, query: string): URL {
  const url = new URL(base);
  const own = url.pathname.endsWith("/") ? url.pathname.slice(0, -1) : url.pathname;
  const rest = own.endsWith("/v1") && path.startsWith("/v1/") ? path.slice("/v1".length) : path;
  url.pathname = own + rest;
  url.search = query;
  return url;
}
