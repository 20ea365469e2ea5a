/** `POST /v1/attachments` stores a file and answers with its id; `GET /v1/attachments/<id>` gives one back. */
import type { FastifyInstance } from "fastify";
import { storePostedFile, streamBodies } from "../adapter/posted-files.ts";
import { sendStoredFile } from "../adapter/stored-file.ts";

export function serveAttachments(server: FastifyInstance, journal: string): void {
  streamBodies(server);
  server.post<{ Querystring: { name?: string } }>("/v1/attachments", async ({ body, query }, reply) =>
    reply.code(201).send(await storePostedFile(journal, query.name, body)),
  );
  server.get<{ Params: { id: string } }>("/v1/attachments/:id", ({ params }, reply) =>
    sendStoredFile(journal, params.id, reply),
  );
}
