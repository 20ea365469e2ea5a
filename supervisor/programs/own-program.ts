/** A program of this package, which says by a record in `.run/programs/` that it is ready, and by the record's time that it lives. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readBusAccess } from "../../journal/access/endpoints.ts";
import { lastBeat, readProgramRecord } from "../../journal/programs/programs.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import type { Probe } from "./probe.ts";
import type { Program } from "./program.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** The time of a file may lie a little before the clock's. */
const clockMs = 50;

/** Less often than it beats. */
const askedEveryMs = 3000;

/** The part of the environment that belongs to a fingerprint. The rest differs from one shell to the next. */
const relevant =
  /^(CORTEX_.*|JOURNAL_PATH|NATS_.*|TZ|PATH|NODE_.*|DATABASE_URL|.*_API_KEY|.*_BASE_URL|(http|https|no|all)_proxy|SSL_CERT_.*)$/i;

export type OwnProgram = Pick<Program, "name" | "needs" | "stopGraceMs"> & {
  /** Its main file, relative to the package, without its ending. */
  module: string;
  /** Arguments of its main file. */
  args?: readonly string[];
  /** Asks more than whether its event loop turns. */
  answers?: Probe;
  /** Further parts of its fingerprint: when they change, it is started anew instead of rereading its settings. */
  madeOf?: () => unknown;
} & Partial<Pick<Program, "yieldSignal" | "isAside" | "isWanted">>;

export function ownProgram(
  journal: string,
  processEnv: NodeJS.ProcessEnv,
  {
    name,
    needs,
    module,
    args = [],
    answers,
    madeOf,
    stopGraceMs,
    yieldSignal = "SIGTERM",
    isAside = false,
    isWanted,
  }: OwnProgram,
): Program {
  const command = ownCommand(module, ...args);
  const env = { ...processEnv, JOURNAL_PATH: journal };
  let heard: number | undefined;
  return {
    name,
    needs,
    launch: async () => ({ command, env }),
    fingerprint: async () => {
      const settings = Object.entries(env)
        .filter(([variable]) => relevant.test(variable))
        .map(([variable, value]) => `${variable}=${value}`)
        .toSorted();
      const bus = needs.includes("nats-server") ? readBusAccess(journal) : null;
      const made = [command, version(), settings, bus?.url, bus?.passwords, madeOf?.()];
      return createHash("sha256").update(JSON.stringify(made)).digest("hex");
    },
    // A record may be of a former process that had the same pid, as all have in a container that is started again.
    isReady: async ({ pid, startedAt }) =>
      (await readProgramRecord(journal, name))?.pid === pid &&
      ((await lastBeat(journal, name)) ?? 0) >= startedAt - clockMs,
    // Another time than before, whatever clock it is: it beats oftener than it is asked.
    isResponsive: async (process) => {
      const beat = await lastBeat(journal, name);
      const beats = beat !== undefined && beat !== heard;
      heard = beat;
      return beats && (answers === undefined || (await answers(process)));
    },
    askedEveryMs,
    stopSignal: "SIGTERM",
    againSignal: "SIGINT",
    yieldSignal,
    stopGraceMs,
    rereads: madeOf === undefined,
    isAside,
    ...(isWanted && { isWanted }),
  };
}

function version(): unknown {
  const { version } = parseOwnJson(readFileSync(packageFile("package.json"), "utf8")) as { version: unknown };
  return version;
}
