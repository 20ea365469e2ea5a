/** From a request to its answer: who asks, whether they may, what they want, and what becomes of it. */
import { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { type Actor, memberAt, memberOf, requireAdmin } from "../../../workspace/people/access.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { UnavailableError } from "../../machine/base/machine-base.ts";
import type { Machine } from "../../machine/machine.ts";
import type { Asker } from "../table/asker.ts";
import type { Files, Operation, ServerEvents } from "../table/operation.ts";
import { answerOnce, idempotencyKeyOf, type MadeAnswer, requestName } from "./answer-once.ts";
import { checked, isId } from "./read-input.ts";

export type AnswerDeps = { store: WorkspaceStore; machine: Machine; files: Files };

export type Answer = MadeAnswer & { status: number };

/** @throws WorkspaceError for what is refused */
export async function answerRequest(
  operation: Operation,
  request: FastifyRequest,
  asker: Asker,
  { store, machine, files }: AnswerDeps,
): Promise<Answer> {
  const { status = 200, handle, prepare, role } = operation;
  const id = subjectOf(request);
  requireOwner(operation, asker);
  requirePathId(operation, id);
  const actor = await actorAt(store, operation, id, asker);
  if (actor && role === "admin") requireAdmin(actor);
  const query = checked(operation.query, request.query);
  const body = operation.takesContent ? contentOf(request) : checked(operation.body, request.body);
  const key = operation.method === "POST" ? idempotencyKeyOf(request.headers["idempotency-key"]) : null;
  const input = { id, file: params(request)["file"] ?? "", query, body };
  const prepared = await prepare?.({ store, machine, asker, actor, files }, input);
  const route = `${request.method} ${request.url}`;
  // A file that is sent is told by its hash.
  const sent = operation.takesContent ? prepared : body;
  const named = key === null ? null : requestName({ key, route, body: sent, asker });
  const work = async (within: WorkspaceStore): Promise<MadeAnswer> => {
    const headers: Record<string, string> = {};
    const setHeader = (name: string, value: string) => void (headers[name] = value);
    const made = await handle?.(
      { store: within, machine, asker, actor, prepared, request: named, files, setHeader },
      input,
    );
    return { headers, body: made };
  };
  if (key === null) return { ...(await work(store)), status };
  const { isSecret = false, isOutside = false } = operation;
  const workspaceId = actor?.workspaceId ?? null;
  const keyed = { key, route, body: sent, asker, workspaceId, status, isSecret, isOutside };
  const once = await answerOnce(store, keyed, work);
  return once.isReplayed ? { ...once, headers: { ...once.headers, "Idempotency-Replayed": "true" } } : once;
}

/** Finds the events for one who may listen. */
export function heardBy(
  operation: Operation,
  request: FastifyRequest,
  asker: Asker,
  machine: Machine,
  signal: AbortSignal,
): ServerEvents {
  const { listen } = operation;
  const id = subjectOf(request);
  requireOwner(operation, asker);
  requirePathId(operation, id);
  if (!listen) throw new UnavailableError("this can't be heard yet");
  const query = checked(operation.query, request.query);
  const sent = request.headers["last-event-id"];
  const lastEventId = typeof sent === "string" ? sent : null;
  return listen({ machine, lastEventId, signal }, { id, file: "", query, body: undefined });
}

/** @throws WorkspaceError `forbidden` */
function requireOwner({ role }: Pick<Operation, "role">, { isOwner }: Asker): void {
  if (role === "owner" && !isOwner) throw new WorkspaceError("forbidden", "only the owner may do that");
}

/** @throws WorkspaceError `not_found` for what can't be the id of anything */
function requirePathId({ pathId }: Pick<Operation, "pathId">, id: string): void {
  if (pathId?.safeParse(id).success === false) throw new WorkspaceError("not_found", "there is nothing of this name");
}

/** The id in the path. */
export const subjectOf = (request: FastifyRequest): string => params(request)["id"] ?? "";

const params = ({ params: of }: FastifyRequest) => (of ?? {}) as Record<string, string>;

/** @throws WorkspaceError `invalid` */
function contentOf({ body }: FastifyRequest): Readable {
  if (body instanceof Readable) return body;
  throw new WorkspaceError("invalid", "expected the content of a file as the body");
}

/** The asker in the workspace that it is about; null: in none. @throws WorkspaceError `not_found` for anybody else */
export async function actorAt(
  store: WorkspaceStore,
  { subject }: Pick<Operation, "subject">,
  id: string,
  { user }: Asker,
): Promise<Actor | null> {
  if (subject === null) return null;
  if (!isId(id)) throw new WorkspaceError("not_found", "there is no such id: expected a UUID");
  return subject === "workspaces" ? memberOf(store, id, user.id) : memberAt(store, subject, id, user.id);
}
