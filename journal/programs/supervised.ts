/** The supervisor's record of its programs, `.run/supervisor.json`: for commands, and for the supervisor after it. */
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { runtime } from "../config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";

const Identity = z.object({ pid: z.number().int().positive(), boot: z.string(), start: z.string() });

export const ProgramState = z.enum(["waiting", "starting", "ready", "stopping", "backing_off", "failed", "stopped"]);
export type ProgramState = z.infer<typeof ProgramState>;

export const ProgramStatus = z.looseObject({
  name: z.string(),
  state: ProgramState,
  /** Null with a nonce: its process was about to be made. */
  identity: Identity.nullable(),
  /** The mark in its environment. Written down before there is a process, so that none is ever unknown. */
  nonce: z.string().nullable(),
  /** The fingerprint that it was started with. */
  makeup: z.string().nullable(),
  started_at: z.number().nullable(),
  restarts: z.number().int(),
  since: z.number(),
  reason: z.string().nullable(),
  /** The recent deaths, which the next supervisor must not forgive. */
  deaths: z.array(z.number()),
  streak: z.number().int(),
  has_failed: z.boolean(),
  not_before: z.number(),
});
export type ProgramStatus = z.infer<typeof ProgramStatus>;

export const Supervised = z.looseObject({
  supervisor: Identity,
  programs: z.array(ProgramStatus),
  /** How long a stop of all may take. */
  stops_within_ms: z.number().optional(),
});
export type Supervised = z.infer<typeof Supervised>;

const supervisedFile = (journal: string) => runtime(journal, "supervisor.json");

export const writeSupervised = (journal: string, supervised: Supervised) =>
  replaceFile(supervisedFile(journal), JSON.stringify(supervised));

/** Reads the latest record of the last supervisor, or null. */
export function readSupervised(journal: string): Supervised | null {
  return isRuntimeOwn(journal) ? readDocument(supervisedFile(journal), Supervised) : null;
}
