/** OpenAPI description of OpenAI's door: the fields that it reads. What it answers with is OpenAI's. Pure. */
import { z } from "zod";
import { ChatRequest } from "./requests/read-chat.ts";
import { ResponsesRequest } from "./requests/read-responses.ts";

const answer = (description: string) => ({
  200: {
    description,
    headers: { "X-Cortex-Run": { description: "The run that answers.", schema: { type: "string" } } },
    content: {
      "application/json": { schema: { type: "object" } },
      "text/event-stream": { schema: { type: "string" } },
    },
  },
});

const meanings: Record<number, string> = {
  400: "A field is wrong, or means what isn't done here.",
  401: "No token, or another one.",
  402: "A limit of what may be spent was reached.",
  404: "There is no such model.",
  429: "As many answers are under way as may.",
  502: "The provider failed.",
  503: "Cortex doesn't answer: try again.",
};

const ErrorAnswer = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
});

const json = (schema: z.ZodType) => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  return { "application/json": { schema: rest } };
};

const problems = (...statuses: number[]) =>
  Object.fromEntries(statuses.map((status) => [status, { description: meanings[status], content: json(ErrorAnswer) }]));

const asked = [
  {
    name: "X-Cortex-Continue",
    in: "header",
    description: "The run that it goes on from.",
    schema: { type: "string", pattern: "^\\d{13}$" },
  },
  {
    name: "Idempotency-Key",
    in: "header",
    description: "Of a request that may be sent again: it asks for the same run.",
    schema: { type: "string", maxLength: 256 },
  },
];

const post = (operationId: string, summary: string, body: z.ZodType) => ({
  post: {
    operationId,
    summary,
    parameters: asked,
    requestBody: { required: true, content: json(body) },
    responses: { ...answer("The answer, whole or as a stream."), ...problems(400, 401, 402, 404, 429, 502, 503) },
  },
});

export const doorPaths = () => ({
  "/v1/models": {
    get: {
      operationId: "listModels",
      summary: "Personas and agents as models of OpenAI's API",
      responses: {
        200: { description: "The models.", content: { "application/json": { schema: { type: "object" } } } },
        ...problems(401, 503),
      },
    },
  },
  "/v1/chat/completions": post("createChatCompletion", "Ask a persona or an agent, in Chat Completions", ChatRequest),
  "/v1/responses": post("createResponse", "Ask a persona or an agent, in Responses", ResponsesRequest),
});
