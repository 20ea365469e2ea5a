/**
 * Fuzz of the API from its own description: requests that the description allows, with something wrong in many of them, from
 * askers of each kind. Each answer has a status that the description has for the operation, and a body that its schema allows.
 */
import { z } from "zod";
import { apiPaths } from "../../../../web/api/api-paths.ts";
import { operations } from "../../../../web/api/operations.ts";
import { createUser } from "../../../../workspace/people/members.ts";
import type { Thread } from "../../../../workspace/records/thread.ts";
import { hostileText, jsonOf, mutated } from "../../../fuzz/hostile.ts";
import { Engine } from "../../../simulation/engine.ts";
import type { ApiSystem, Caller } from "../api-system.ts";
import { type JsonSchema, sampleOf } from "./schema-samples.ts";

type Described = {
  operationId: string;
  parameters: { name: string; in: "path" | "query" | "header"; schema: JsonSchema }[];
  requestBody?: { content: Partial<Record<"application/json" | "*/*", { schema: JsonSchema }>> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
};

export type FuzzReport = { requests: number; byStatus: Map<number, number>; problems: string[] };

/** So often everything is made anew: what is asked for removes members, and ends sessions and forks. */
const groundEvery = 400;
/** Ids of a kind that are known at a time. */
const maxIds = 20;

export async function fuzzApi(
  api: ApiSystem,
  { seed, requests, onProgress }: { seed: number; requests: number; onProgress?: (done: number) => void },
): Promise<FuzzReport> {
  const engine = new Engine(seed * 1_000_003);
  const { paths, schemas } = apiPaths() as { paths: Record<string, Record<string, Described>>; schemas: Schemas };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  );
  const check = new AnswerCheck(schemas);
  const report: FuzzReport = { requests: 0, byStatus: new Map(), problems: [] };
  let ground = await newGround(api);
  for (let number = 0; number < requests; number++) {
    if (number % groundEvery === groundEvery - 1) ground = await newGround(api);
    const { path, method, described } = engine.pick(all);
    const request = requestOf(engine, { path, method, described }, schemas, ground.ids);
    const { status, body, isJson } = await ask(api, engine.pick(ground.callers), request);
    report.requests++;
    report.byStatus.set(status, (report.byStatus.get(status) ?? 0) + 1);
    const problem = check.problemOf(described, status, body, isJson);
    if (problem !== null)
      report.problems.push(
        `request ${number} of seed ${seed}, ${described.operationId}: ${problem}\n${JSON.stringify(request).slice(0, 1000)}`,
      );
    remember(ground.ids, body);
    if (number % 1000 === 999) onProgress?.(number + 1);
  }
  for (const error of api.errors) report.problems.push(`our own fault: ${String(error)}`);
  return report;
}

type Schemas = Record<string, JsonSchema>;
/** Ids of each kind of record, as paths name them. */
type KnownIds = Map<string, string[]>;
type Ground = { ids: KnownIds; callers: Caller[] };

async function newGround(api: ApiSystem): Promise<Ground> {
  const { id } = await api.owner.post<{ id: string }>("/workspaces", { name: "Fuzz" });
  const member = await api.invite(id, "Bea");
  const { token: stranger } = await createUser(api.store, "Stranger");
  const thread = await api.owner.post<Thread>(`/workspaces/${id}/threads`, { title: "Seeds" });
  const ids: KnownIds = new Map();
  remember(ids, [await api.owner.get(`/workspaces/${id}`), thread, member.member]);
  remember(ids, await api.owner.get(`/workspaces/${id}/agents`));
  // The owner, who may most, as often as all others.
  return { ids, callers: [api.owner, api.owner, api.owner, member, member, api.as(stranger), api.as(null)] };
}

type FuzzRequest = { method: string; url: string; headers: Record<string, string>; body: string | null };

function requestOf(
  engine: Engine,
  { path, method, described }: { path: string; method: string; described: Described },
  schemas: Schemas,
  ids: KnownIds,
): FuzzRequest {
  const all = [...ids.values()].flat();
  const fitting = ids.get(path.split("/")[3] ?? "") ?? all;
  const contextOf = (known: readonly string[]) => ({ schemas, ids: known });
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let url = path;
  for (const parameter of described.parameters) {
    const context = contextOf(engine.chance(0.9) ? fitting : all);
    const sample = engine.chance(0.9) ? sampleOf(engine, parameter.schema, context) : hostileText(engine);
    const value = String(sample).toWellFormed().slice(0, 4000);
    if (parameter.in === "path") url = url.replace(`{${parameter.name}}`, encodeURIComponent(value));
    else if (parameter.in === "query" && engine.chance(0.3)) query.append(parameter.name, value);
    else if (parameter.in === "header" && engine.chance(0.2)) headers[parameter.name] = inHeader(value);
  }
  if (query.size > 0) url += `?${query.toString()}`;
  const { "application/json": json, "*/*": content } = described.requestBody?.content ?? {};
  if (content) return { method, url, headers, body: engine.chance(0.9) ? hostileText(engine).toWellFormed() : null };
  if (!json) return { method, url, headers, body: null };
  const { schema } = json;
  const sample = sampleOf(engine, schema, contextOf(path.endsWith("/forks") ? (ids.get("messages") ?? all) : all));
  const body = jsonOf(engine.chance(0.6) ? sample : mutated(engine, sample));
  return { method, url, headers: { ...headers, "Content-Type": "application/json" }, body };
}

/** Makes a text into one that a client can send at all. */
const inHeader = (text: string) =>
  text
    .replaceAll(/[^\x20-\x7e]/g, "?")
    .trim()
    .slice(0, 300);

async function ask(api: ApiSystem, { token }: Caller, { method, url, headers, body }: FuzzRequest) {
  const stop = new AbortController();
  const response = await fetch(`${api.url}${url}`, {
    method,
    headers: { ...headers, ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
    ...(body === null ? {} : { body }),
    signal: stop.signal,
  });
  const type = response.headers.get("content-type") ?? "";
  // What a file holds is nobody's promise.
  const isJson = type.startsWith("application/json") && !response.headers.has("content-disposition");
  const text = type.startsWith("text/event-stream") ? "" : await response.text();
  stop.abort();
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text, isJson };
}

/** Operations of the machine say that its bus is away, as it is here. Any other reason of a 503 is our own fault. */
function isAway(operationId: string, status: number, body: unknown): boolean {
  const isOfMachine = operations.some(({ id, role }) => id === operationId && role === "owner");
  return status === 503 && isOfMachine && awayBody.safeParse(body).success;
}

const awayBody = z.object({
  error: z.object({
    code: z.literal("unavailable"),
    message: z.string().regex(/^the (bus is|tools are) away now: cortex status says why$/),
  }),
});

/** Whether answers are as they are described. */
class AnswerCheck {
  readonly #schemas: Schemas;
  readonly #known = new Map<JsonSchema, z.ZodType>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  problemOf({ operationId, responses }: Described, status: number, body: unknown, isJson: boolean): string | null {
    if (status >= 500 && !isAway(operationId, status, body)) return `${status}: ${JSON.stringify(body)}`;
    const declared = responses[status];
    if (!declared) return `${status} isn't described: ${JSON.stringify(body).slice(0, 500)}`;
    const schema = declared.content?.["application/json"]?.schema;
    if (!schema) return isJson ? "a body that isn't described" : null;
    const parsed = this.#parser(schema).safeParse(body);
    return parsed.success ? null : `${status} has another body than is described: ${z.prettifyError(parsed.error)}`;
  }

  #parser(schema: JsonSchema): z.ZodType {
    const known = this.#known.get(schema);
    if (known) return known;
    const text = JSON.stringify({ ...schema, $defs: this.#schemas }).replaceAll("#/components/schemas/", "#/$defs/");
    const parser = z.fromJSONSchema(JSON.parse(text) as z.core.JSONSchema.JSONSchema);
    this.#known.set(schema, parser);
    return parser;
  }
}

/** A field by which each kind of record is known. */
const kinds: Record<string, string> = {
  page: "workspaces",
  notifications: "members",
  slug: "agents",
  is_brief: "threads",
  author_type: "messages",
  draft: "forks",
  trigger_message_id: "tasks",
  escalates_at: "approvals",
  channel_id: "bindings",
};

/** Keeps the ids of all records in an answer. */
function remember(ids: KnownIds, body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  const kind = Object.keys(kinds).find((field) => field in body);
  if (kind !== undefined && "id" in body && typeof body.id === "string") {
    const known = [...(ids.get(kinds[kind] ?? "") ?? []), body.id];
    ids.set(kinds[kind] ?? "", known.slice(-maxIds));
  }
  for (const inner of Object.values(body)) remember(ids, inner);
}
