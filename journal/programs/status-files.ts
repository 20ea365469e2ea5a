/**
 * The documents of `.run/` that `cortex status` reads: the same as supervised.ts, live-status.ts and bus-store.ts keep,
 * of each no more than it shows. Checked by hand: to load the schemas takes longer than all the rest of the command.
 */
import { readFileSync } from "node:fs";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { BusStore } from "../access/bus-store.ts";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import type { LiveStatus } from "./live-status.ts";
import { runtime } from "../config/paths.ts";
import type { Supervised, ProgramStatus } from "./supervised.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

type Identity = Supervised["supervisor"];
export type ShownProgram = Pick<ProgramStatus, "name" | "state" | "identity" | "restarts" | "since" | "reason">;
export type ShownRun = Pick<
  LiveStatus["running"][number],
  "agent_id" | "persona" | "backend" | "state" | "attempt" | "since"
>;
export type ShownWorker = { worker: string; labels: string[]; capacity: number };

/** Reads the latest record of the last supervisor; null: none can be understood. */
export function shownPrograms(journal: string): { supervisor: Identity; programs: ShownProgram[] } | null {
  const { supervisor, programs } = documentOf(journal, "supervisor.json");
  if (!isIdentity(supervisor) || !isListOf(programs, isProgram)) return null;
  return { supervisor, programs };
}

/** Reads the latest status of the last cortex; null: none can be understood. */
export function shownStatus(
  journal: string,
): { running: ShownRun[]; workers: ShownWorker[]; waiting: number; capacity: number } | null {
  const { running, workers = [], waiting, capacity } = documentOf(journal, "status.json");
  if (!isListOf(running, isRun) || !isListOf(workers, isWorker)) return null;
  if (!Array.isArray(waiting) || !Number.isSafeInteger(capacity)) return null;
  return { running, workers, waiting: waiting.length, capacity: Number(capacity) };
}

/** Why the bus's store isn't as safe as it was meant to be; null: it is, or nobody says. */
export function shownStoreProblem(journal: string): Pick<BusStore, "problem"> {
  const { problem } = documentOf(journal, "bus-store.json");
  return { problem: isText(problem) ? problem : null };
}

/** Why the workspaces' database can't be used; null: it can, or nobody says. */
export function shownWorkspaceProblem(journal: string): string | null {
  const { problem } = documentOf(journal, "workspace.json");
  return isText(problem) ? problem : null;
}

/** Empty where there is none, or no JSON object. */
function documentOf(journal: string, name: string): Record<string, unknown> {
  if (!isRuntimeOwn(journal)) return {};
  try {
    const document: unknown = parseOwnJson(readFileSync(runtime(journal, name), "utf8"));
    return isRecord(document) ? document : {};
  } catch {
    return {};
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
/** Tests for a time that a `Date` can be made of. */
const isTime = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= 8.64e15;

function isListOf<T>(value: unknown, isOne: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isOne);
}

const isIdentity = (value: unknown): value is Identity =>
  isRecord(value) &&
  Number.isSafeInteger(value["pid"]) &&
  Number(value["pid"]) > 0 &&
  isText(value["boot"]) &&
  isText(value["start"]);

const isProgram = (value: unknown): value is ShownProgram =>
  isRecord(value) &&
  isText(value["name"]) &&
  isText(value["state"]) &&
  (value["identity"] === null || isIdentity(value["identity"])) &&
  Number.isSafeInteger(value["restarts"]) &&
  isTime(value["since"]) &&
  (value["reason"] === null || isText(value["reason"]));

/** Its id becomes part of a path. */
const isRun = (value: unknown): value is ShownRun =>
  isRecord(value) &&
  isText(value["agent_id"]) &&
  /^\d{13}$/.test(value["agent_id"]) &&
  Number.isSafeInteger(value["attempt"]) &&
  [value["persona"], value["backend"], value["state"]].every(isText) &&
  isTime(value["since"]);

const isWorker = (value: unknown): value is ShownWorker =>
  isRecord(value) &&
  isText(value["worker"]) &&
  isListOf(value["labels"], isText) &&
  typeof value["capacity"] === "number";
