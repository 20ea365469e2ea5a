/**
 * Operation of the API, as a row of its table: from it come the route, its checks, its description in OpenAPI, and the tests of
 * who may do what.
 */
import type { Readable } from "node:stream";
import { z } from "zod";
import type { AttachmentRef, FilePart } from "../../../protocol/files/attachment.ts";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import type { Machine } from "../../machine/machine.ts";
import type { Actor, RecordTable } from "../../../workspace/people/access.ts";
import { Page } from "../../../workspace/records/page.ts";
import type { Asker } from "./asker.ts";

/** The record that a path names: the workspace itself, or one that stands in a workspace. */
export type Subject = "workspaces" | RecordTable;

export type OperationContext<S extends Subject | null = Subject | null, Prepared = unknown> = {
  /** Within one transaction where the request has an `Idempotency-Key`, unless the operation `isOutside`. */
  store: WorkspaceStore;
  machine: Machine;
  asker: Asker;
  /** The asker as a member of the subject's workspace. */
  actor: S extends null ? null : Actor;
  /** The value that `prepare` returned. */
  prepared: Prepared;
  /** Names the request, by its sender and `Idempotency-Key`: sent again it has the same name. Null: it has no key. */
  request: string | null;
  files: Files;
  setHeader: (name: string, value: string) => void;
};

/** Files of the journal, as far as requests reach them. */
export type Files = {
  /**
   * Stores the files of a message, or finds those that are stored. @throws WorkspaceError `invalid`
   * @param names of the stored files of the workspace: others are for the owner
   */
  takeFiles: (refs: readonly AttachmentRef[], asker: Asker, names: ReadonlyMap<string, string>) => Promise<FilePart[]>;
  /** Stores a body. @throws WorkspaceError `invalid`, `too_large` */
  store: (name: string, body: Readable) => Promise<FilePart>;
  /** A stored file with its content; null: it isn't kept any more. */
  open: (id: string) => Promise<{ part: FilePart; content: Readable } | null>;
};

export type OperationInput<Query = unknown, Body = unknown> = {
  /** The subject's. */
  id: string;
  /** `{file}` of the path; empty where it has none. */
  file: string;
  query: Query;
  body: Body;
};

export type ListenContext = {
  machine: Machine;
  /** The id of the last event that whoever listens has heard; null: they begin. */
  lastEventId: string | null;
  /** They have gone, or may listen no longer. */
  signal: AbortSignal;
};

/** A server-sent event. One without an id isn't told again. */
export type ServerEvent = { id?: string; event: string; data: unknown };

/** @field position the id behind which they begin: whoever is cut off before the first knows where to go on */
export type ServerEvents = AsyncIterable<ServerEvent> & { position?: string };

type Spec<S extends Subject | null, Query, Body, Answer, Prepared> = {
  id: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Below `/api/v1`. Its parameter, if it has one, is the subject's id. */
  path: string;
  /** The schema of the parameter where there is no subject: a run's number, a name. What it can't be isn't there. */
  pathId?: z.ZodType<string>;
  summary: string;
  description?: string;
  subject: S;
  /**
   * The role of those who may ask: any user or the owner alone; a member of the subject's workspace, or an admin of it.
   */
  role: S extends null ? "user" | "owner" : "member" | "admin";
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  /** Its body is a file's content, whatever type it says; `prepare` gets it as it comes. */
  takesContent?: true;
  /** It answers with a file's content. */
  givesContent?: true;
  /** Absent: the usual limit. */
  maxBodyBytes?: number;
  status?: 200 | 201 | 202 | 204;
  /** Absent: it has no body. */
  answer?: z.ZodType<Answer>;
  /** Kinds of server-sent events, where it answers with those. */
  events?: Record<string, z.ZodType>;
  /** Answers with events that aren't a workspace's, until either side closes. */
  listen?: (context: ListenContext, input: OperationInput<Query>) => ServerEvents;
  /** The refusals beyond those of every operation like it. */
  refusals?: readonly (400 | 404 | 409 | 503)[];
  /** Its answer holds a secret, which mustn't be kept as it is. */
  isSecret?: boolean;
  /** Works outside of the database, and may take a while: no transaction waits for it. */
  isOutside?: true;
  /** Ends somebody's access: those who listen are looked at again. */
  endsAccess?: true;
  /** Done before a transaction begins, for what takes a while. */
  prepare?: (
    context: Omit<OperationContext<S>, "prepared" | "request" | "setHeader">,
    input: OperationInput<Query, Body>,
  ) => Promise<Prepared>;
  handle?: (context: OperationContext<S, Prepared>, input: OperationInput<Query, Body>) => Promise<Answer>;
};

export type Operation = Spec<Subject | null, unknown, unknown, unknown, unknown>;

/** A row of the table, with its types checked among themselves. */
export function operation<S extends Subject | null, Query, Body, Answer, Prepared = undefined>(
  spec: Spec<S, Query, Body, Answer, Prepared>,
): Operation {
  return spec as unknown as Operation;
}

/** The pages of a list, in its query. */
export const pageQuery = Page;

export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    next: z.string().nullable().meta({ description: "The `cursor` of the next page; null: this is the last one." }),
  });
