/**
 * OpenAPI description of the web channel (`GET /openapi.json`), from the zod schemas that check its messages. Made here rather
 * than by @fastify/swagger, which takes it from the routes' JSON schemas: fastify compiles each of those at the start (1.7 s
 * against 20 ms on a busy machine), and has no place for the schema of a server-sent event. Pure.
 */
import { z } from "zod";
import { OutboundMessage } from "../../protocol/agents/channel.ts";
import { ComponentSchemas } from "../../web/api/openapi/component-schemas.ts";
import { agentPaths } from "./agent-paths.ts";
import { PostedAttachment, StoredAttachment } from "../adapter/posted-files.ts";
import { PostedMessage, StoredMessage } from "./messages.ts";
import { json, problems } from "./openapi-parts.ts";
import { OpenPermissions, PostedDecision } from "../adapter/open-permissions.ts";

const sessionCookieName = "cortex_session";
const Health = z.object({ ok: z.literal(true), pid: z.number().int() });

export async function openApi(url: string, version: string): Promise<object> {
  const { apiPaths } = await import("../../web/api/api-paths.ts");
  const { doorPaths } = await import("../../web/openai/door-paths.ts");
  const workspaces = apiPaths();
  const components = new ComponentSchemas();
  return {
    openapi: "3.1.0",
    info: {
      title: "Cortex",
      version,
      description:
        "Speak with the agents of a journal (`/v1`), and work with them in the threads of a team (`/api/v1`).",
    },
    servers: [{ url }],
    security: [{ token: [] }],
    paths: {
      "/v1/messages": {
        post: {
          operationId: "postMessage",
          summary: "Say something to an agent",
          requestBody: { required: true, content: json(PostedMessage) },
          responses: {
            202: { description: "It is stored.", content: json(StoredMessage) },
            ...problems(400, 401, 403, 413, 429, 503),
          },
        },
      },
      "/v1/attachments": {
        post: {
          operationId: "postAttachment",
          summary: "Store a file for a message",
          description:
            "The body is the content, or JSON with the content in base64. Refused: what the settings don't take.",
          parameters: [{ name: "name", in: "query", description: "The name of the file.", schema: { type: "string" } }],
          requestBody: {
            required: true,
            content: {
              "application/octet-stream": { schema: { type: "string", format: "binary" } },
              ...json(PostedAttachment),
            },
          },
          responses: {
            201: { description: "It is stored.", content: json(StoredAttachment) },
            ...problems(400, 401, 403, 413),
          },
        },
      },
      "/v1/attachments/{id}": {
        get: {
          operationId: "getAttachment",
          summary: "A stored file, such as one of a reply",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: {
            200: {
              description: "Its content.",
              content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
            },
            ...problems(401, 403, 404),
          },
        },
      },
      ...agentPaths(),
      "/v1/permissions": {
        get: {
          operationId: "listPermissions",
          summary: "Calls of tools that wait for a person",
          responses: {
            200: { description: "The questions that nobody has answered.", content: json(OpenPermissions) },
            ...problems(401, 403),
          },
        },
      },
      "/v1/permissions/{id}": {
        post: {
          operationId: "decidePermission",
          summary: "Allow or deny a call",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          requestBody: { required: true, content: json(PostedDecision) },
          responses: {
            202: { description: "It is stored; the first answer counts.", content: json(StoredMessage) },
            ...problems(400, 401, 403, 404, 409, 413, 429, 503),
          },
        },
      },
      "/v1/events": {
        get: {
          operationId: "listen",
          summary: "Hear what agents say",
          description:
            "Server-sent events. `event: reply`, with an outbound message as `data` and its place as `id`. Comments are heartbeats.",
          parameters: [
            {
              name: "Last-Event-ID",
              in: "header",
              description: "Goes on behind this place. Absent: with what is said from now on.",
              schema: { type: "string", pattern: "^\\d{1,15}$" },
            },
            {
              name: "channelId",
              in: "query",
              description: "The conversation, to hear it alone.",
              schema: { type: "string" },
            },
          ],
          responses: {
            200: {
              description: "The events, until either side closes.",
              content: {
                "text/event-stream": { schema: { type: "string" }, "x-data": components.ofAnswer(OutboundMessage) },
              },
            },
            ...problems(401, 403, 503),
          },
        },
      },
      "/v1/health": {
        get: {
          operationId: "health",
          summary: "Whether it answers, and which process it is",
          security: [],
          responses: { 200: { description: "It does.", content: json(Health) }, ...problems(403) },
        },
      },
      "/openapi.json": {
        get: {
          operationId: "openapi",
          summary: "This description",
          security: [],
          responses: {
            200: { description: "It.", content: { "application/json": { schema: { type: "object" } } } },
            ...problems(403),
          },
        },
      },
      ...doorPaths(),
      ...workspaces.paths,
    },
    components: {
      schemas: { ...components.named, ...workspaces.schemas },
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookieName,
          description: "The cookie of `session.create`.",
        },
        token: {
          type: "http",
          scheme: "bearer",
          description: "`web_token` of `.run/endpoints.json`; below `/api/v1` the token of a member, too.",
        },
      },
    },
  };
}
