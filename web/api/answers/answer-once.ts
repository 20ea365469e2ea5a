/**
 * Answers of requests with an `Idempotency-Key`: kept in the transaction of what they made, so that a request that is sent again
 * after a crash makes nothing twice.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../../protocol/json/canonical-json.ts";
import { keepAnswer, keptAnswer } from "../../../workspace/database/retention/kept-answers.ts";
import { inOneChange, inTransaction } from "../../../workspace/database/changes/one-change.ts";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Asker } from "../table/asker.ts";
import { opened, sealed } from "./sealed-answer.ts";

export type KeyedRequest = {
  key: string;
  /** Method and path. */
  route: string;
  body: unknown;
  asker: Asker;
  /** The workspace that it is about; null: none. */
  workspaceId: string | null;
  status: number;
  isSecret: boolean;
};

export type MadeAnswer = { headers: Record<string, string>; body: unknown };
export type OnceAnswer = MadeAnswer & { status: number; isReplayed: boolean };

const keyPattern = /^[\x21-\x7e]{1,200}$/;

/** The key of a request's header, or null. @throws WorkspaceError `invalid` */
export function idempotencyKeyOf(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  if (typeof header === "string" && keyPattern.test(header)) return header;
  throw new WorkspaceError("invalid", "Idempotency-Key: expected 1 to 200 visible ASCII characters");
}

/** Names a request with a key, for what is made outside of the database: the same, sent again, has the same name. */
export function requestName({
  key,
  asker,
  route,
  body,
}: Pick<KeyedRequest, "key" | "route" | "body" | "asker">): string {
  return createHash("sha256")
    .update(JSON.stringify([asker.user.id, key, hashOf({ route, body })]))
    .digest("hex");
}

/** Another request has taken the key since this one began. */
class KeyTaken extends Error {}

/** Does the work of a request and keeps its answer, or returns the answer that its key was given. @throws WorkspaceError `conflict` */
export async function answerOnce(
  store: WorkspaceStore,
  request: KeyedRequest,
  work: (store: WorkspaceStore) => Promise<MadeAnswer>,
): Promise<OnceAnswer> {
  try {
    return await tryOnce(store, request, work);
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    return tryOnce(store, request, work);
  }
}

async function tryOnce(
  store: WorkspaceStore,
  request: KeyedRequest,
  work: (store: WorkspaceStore) => Promise<MadeAnswer>,
): Promise<OnceAnswer> {
  const { key, asker, workspaceId, status } = request;
  const request_hash = hashOf(request);
  return within(store, workspaceId, async (inner) => {
    const kept = await keptAnswer(inner.database, asker.user.id, key);
    if (kept) return { ...keptBefore(kept, request, request_hash), status: kept.status, isReplayed: true };
    const made = await work(inner);
    const text = JSON.stringify(made);
    const response_json = request.isSecret ? sealed(text, asker.credential) : text;
    const isFree = await keepAnswer(inner.database, asker.user.id, key, { request_hash, status, response_json });
    if (!isFree) throw new KeyTaken();
    return { ...made, status, isReplayed: false };
  });
}

function within<T>(store: WorkspaceStore, workspaceId: string | null, work: (store: WorkspaceStore) => Promise<T>) {
  if (workspaceId !== null) return inOneChange(store, workspaceId, work);
  return inTransaction(store.database, (database) => work({ ...store, database }));
}

function keptBefore(
  kept: { request_hash: string; response_json: string },
  { asker, isSecret }: KeyedRequest,
  requestHash: string,
): MadeAnswer {
  if (kept.request_hash !== requestHash)
    throw new WorkspaceError("conflict", "this Idempotency-Key was used with another request", "use a new one");
  const text = isSecret ? opened(kept.response_json, asker.credential) : kept.response_json;
  if (text === null)
    throw new WorkspaceError("conflict", "this was done, and its answer is for the token that asked then alone");
  return JSON.parse(text) as MadeAnswer;
}

function hashOf({ route, body }: Pick<KeyedRequest, "route" | "body">): string {
  return createHash("sha256")
    .update(`${route}\n${canonicalJson(body ?? null)}`)
    .digest("hex");
}
