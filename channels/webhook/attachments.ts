/** `POST /v1/attachments` of the webhook stores a file, and `GET /v1/attachments/<id>` gives one back: signed like messages. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { HttpError } from "../adapter/http-server.ts";
import { storePostedFile, streamBodies } from "../adapter/posted-files.ts";
import { sendStoredFile } from "../adapter/stored-file.ts";
import type { VerifiedRequests } from "./verified-requests.ts";

/** Files on their way into the store: a stranger's is written, too, until its signature is known at its end. */
const mostUploads = 8;

/** @param maxBodyBytes of a body that is JSON; any other is bounded while it is stored */
export function serveSignedFiles(
  server: FastifyInstance,
  { journal, maxBodyBytes }: { journal: string; maxBodyBytes: number },
  requests: VerifiedRequests,
): void {
  let uploads = 0;
  const store = async (request: FastifyRequest<{ Querystring: { name?: string } }>) => {
    const { body, query } = request;
    if (Buffer.isBuffer(body)) return storePostedFile(journal, query.name, requests.json(request));
    return storePostedFile(journal, query.name, body, requests.upload(request));
  };
  // In a scope of its own: every other body is read before it is looked at.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    const options = { parseAs: "buffer", bodyLimit: maxBodyBytes } as const;
    scope.addContentTypeParser("application/json", options, (_request, body, done) => done(null, body));
    streamBodies(scope);
    scope.post<{ Querystring: { name?: string } }>("/v1/attachments", async (request, reply) => {
      if (uploads >= mostUploads) {
        request.raw.resume();
        throw new HttpError(429, `${mostUploads} files are being stored: send it again`);
      }
      uploads++;
      try {
        return await reply.code(201).send(await store(request));
      } finally {
        uploads--;
      }
    });
  });
  server.get<{ Params: { id: string } }>("/v1/attachments/:id", (request, reply) => {
    requests.verified(request);
    return sendStoredFile(journal, request.params.id, reply);
  });
}
