/**
 * Answers of requests with an `Idempotency-Key`: kept in the transaction of what they made, so that a request that is sent again
 * after a crash makes nothing twice. What is made outside of the database holds up none of its transactions.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../../protocol/json/canonical-json.ts";
import { keepAnswer, keptAnswer } from "../../../workspace/database/retention/kept-answers.ts";
import type { Database } from "../../../workspace/database/connection/open-database.ts";
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
  isOutside: boolean;
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

type Work = (store: WorkspaceStore) => Promise<MadeAnswer>;

/** Does the work of a request and keeps its answer, or returns the answer that its key was given. @throws WorkspaceError `conflict` */
export const answerOnce = (store: WorkspaceStore, request: KeyedRequest, work: Work): Promise<OnceAnswer> =>
  request.isOutside ? onceOutside(store, request, work) : onceWithin(store, request, work);

/** The keys whose work outside of the database is under way. */
const underWay = new Map<string, Promise<void>>();

/** Does the work before the transaction of its answer. Who sends it again meanwhile waits. */
async function onceOutside(store: WorkspaceStore, request: KeyedRequest, work: Work): Promise<OnceAnswer> {
  const name = `${request.asker.user.id} ${request.key}`;
  for (let before = underWay.get(name); before; before = underWay.get(name)) await before;
  const { promise, resolve: isOver } = Promise.withResolvers<void>();
  underWay.set(name, promise);
  try {
    const kept = await answerBefore(store.database, request);
    if (kept) return kept;
    const made = await work(store);
    return await onceWithin(store, request, async () => made);
  } finally {
    underWay.delete(name);
    isOver();
  }
}

async function onceWithin(store: WorkspaceStore, request: KeyedRequest, work: Work): Promise<OnceAnswer> {
  try {
    return await tryOnce(store, request, work);
  } catch (error) {
    if (!(error instanceof KeyTaken)) throw error;
    return tryOnce(store, request, work);
  }
}

async function tryOnce(store: WorkspaceStore, request: KeyedRequest, work: Work): Promise<OnceAnswer> {
  const { key, asker, workspaceId, status } = request;
  return within(store, workspaceId, async (inner) => {
    const kept = await answerBefore(inner.database, request);
    if (kept) return kept;
    const made = await work(inner);
    const text = JSON.stringify(made);
    const response_json = request.isSecret ? sealed(text, asker.credential) : text;
    const answer = { request_hash: hashOf(request), status, response_json };
    const isFree = await keepAnswer(inner.database, asker.user.id, key, answer);
    if (!isFree) throw new KeyTaken();
    return { ...made, status, isReplayed: false };
  });
}

function within<T>(store: WorkspaceStore, workspaceId: string | null, work: (store: WorkspaceStore) => Promise<T>) {
  if (workspaceId !== null) return inOneChange(store, workspaceId, work);
  return inTransaction(store.database, (database) => work({ ...store, database }));
}

/** The answer that the request's key was given. @throws WorkspaceError `conflict` */
async function answerBefore(database: Database, request: KeyedRequest): Promise<OnceAnswer | null> {
  const { key, asker, isSecret } = request;
  const kept = await keptAnswer(database, asker.user.id, key);
  if (!kept) return null;
  if (kept.request_hash !== hashOf(request))
    throw new WorkspaceError("conflict", "this Idempotency-Key was used with another request", "use a new one");
  const text = isSecret ? opened(kept.response_json, asker.credential) : kept.response_json;
  if (text === null)
    throw new WorkspaceError("conflict", "this was done, and its answer is for the token that asked then alone");
  return { ...(JSON.parse(text) as MadeAnswer), status: kept.status, isReplayed: true };
}

function hashOf({ route, body }: Pick<KeyedRequest, "route" | "body">): string {
  return createHash("sha256")
    .update(`${route}\n${canonicalJson(body ?? null)}`)
    .digest("hex");
}
