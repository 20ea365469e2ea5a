/** The routes of OpenAI's door. Whatever answers is loaded by the first who asks. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { DoorDeps, OpenAiDoor } from "./openai-door.ts";

/** In bytes: a request has the whole conversation, with its images. */
const bodyLimit = 8 * 1024 * 1024;

export function serveOpenAi(server: FastifyInstance, deps: DoorDeps): void {
  let opening: Promise<OpenAiDoor> | undefined;
  const door = () => (opening ??= import("./openai-door.ts").then(({ OpenAiDoor }) => new OpenAiDoor(deps)));
  const errorHandler = (error: unknown, _request: FastifyRequest, reply: FastifyReply) =>
    void door().then((opened) => opened.refuse(error, reply));
  server.get("/v1/models", { errorHandler }, async () => (await door()).models());
  server.get<{ Params: { "*": string } }>("/v1/models/*", { errorHandler }, async ({ params }) =>
    (await door()).model(params["*"]),
  );
  server.post("/v1/chat/completions", { errorHandler, bodyLimit }, async (request, reply) =>
    (await door()).chat(request, reply),
  );
  server.post("/v1/responses", { errorHandler, bodyLimit }, async (request, reply) =>
    (await door()).respond(request, reply),
  );
}
