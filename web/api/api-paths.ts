/** OpenAPI description of the operations, from their table. Pure. */
import type { z } from "zod";
import { attachmentIdPattern } from "../../protocol/files/attachment.ts";
import { meanings, Problem } from "./answers/problem.ts";
import { operations } from "./operations.ts";
import { refusalsOf } from "./table/refusals-of.ts";
import type { Operation } from "./table/operation.ts";
import { parametersIn } from "./table/operation-path.ts";
import { ComponentSchemas } from "./openapi/component-schemas.ts";

type Json = Record<string, unknown>;

/** Builds the API's part of the web program's document. */
export function apiPaths(): { paths: Record<string, Json>; schemas: Record<string, Json> } {
  const components = new ComponentSchemas();
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    (paths[`/api/v1${operation.path}`] ??= {})[operation.method.toLowerCase()] = described(operation, components);
  return { paths, schemas: components.named };
}

function described(operation: Operation, components: ComponentSchemas): Json {
  const { id, summary, description, body, takesContent } = operation;
  return {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [id.split(".")[0]],
    security: [{ token: [] }, { session: [] }],
    parameters: parametersOf(operation, components),
    ...(body && { requestBody: { required: !mayBeAbsent(body), content: json(components.ofRequest(body)) } }),
    ...(takesContent && { requestBody: { required: true, content: anyContent } }),
    responses: { [operation.status ?? 200]: answerOf(operation, components), ...problems(operation, components) },
  };
}

const mayBeAbsent = (body: z.ZodType) => body.safeParse(undefined).success;

function parametersOf({ path, pathId, method, query, events }: Operation, components: ComponentSchemas): Json[] {
  const { properties = {} } = query ? components.ofRequest(query as z.ZodType) : {};
  const schemaOf = (name: string) => (name === "file" ? fileId : pathId ? components.ofRequest(pathId) : uuid);
  return [
    ...parametersIn(path).map((name) => ({ name, in: "path", required: true, schema: schemaOf(name) })),
    ...Object.entries(properties as Record<string, Json>).map(([field, schema]) => ({
      name: field,
      in: "query",
      schema,
    })),
    ...(method === "POST" ? [idempotencyKey] : []),
    ...(method === "GET" ? [] : [csrfToken]),
    ...(events ? [lastEventId] : []),
  ];
}

const uuid = { type: "string", format: "uuid" };
const fileId = { type: "string", pattern: attachmentIdPattern.source };

/** The content of a file. */
const anyContent = { "*/*": { schema: { type: "string", format: "binary" } } };

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "Makes it once: the same key with the same request is answered the same for a day, with the header Idempotency-Replayed.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,200}$" },
};

const csrfToken = {
  name: "X-CSRF-Token",
  in: "header",
  description: "With a session's cookie: `csrf_token` of `session.get`.",
  schema: { type: "string" },
};

const lastEventId = {
  name: "Last-Event-ID",
  in: "header",
  description: "Goes on behind this event; 0: from the first.",
  schema: { type: "string", pattern: "^[0-9a-z-]{1,40}$" },
};

function answerOf({ answer, events, givesContent }: Operation, components: ComponentSchemas): Json {
  if (givesContent) return { description: "Its content.", content: anyContent };
  if (events) {
    const kinds = Object.entries(events).map(([name, schema]) => [name, components.ofAnswer(schema)] as const);
    const content = { "text/event-stream": { schema: { type: "string" }, "x-events": Object.fromEntries(kinds) } };
    return { description: "The events, until either side closes.", content };
  }
  return { description: "Done.", ...(answer && { content: json(components.ofAnswer(answer)) }) };
}

function problems(operation: Operation, components: ComponentSchemas): Json {
  const content = json(components.ofAnswer(Problem));
  const refused = refusalsOf(operation).map((status) => [
    status,
    { description: meanings[status], content, ...(status === 429 || status === 503 ? { headers: retryAfter } : {}) },
  ]);
  return { ...Object.fromEntries(refused), 431: tooLong, default: { description: "It failed otherwise.", content } };
}

/** Answered before anybody knows what is asked for. */
const tooLong = { description: "The address and the headers are longer than 16 KiB.", content: json({}) };

const retryAfter = { "Retry-After": { description: "In seconds.", schema: { type: "integer" } } };

function json(schema: Json): Json {
  return { "application/json": { schema } };
}
