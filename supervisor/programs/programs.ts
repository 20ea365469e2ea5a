/** The programs that there are, in the order of their needs. */
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { readSettings, SettingsError } from "../../journal/config/settings.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { parseJson } from "../../protocol/json/parse-json.ts";
import { channelPrograms } from "./channel-programs.ts";
import { natsProgram } from "./nats-program.ts";
import { ownProgram } from "./own-program.ts";
import type { Probe } from "./probe.ts";
import type { Program } from "./program.ts";
import { telemetryProgram } from "./telemetry-program.ts";

/** Time that cortex needs to stop its runs, beyond the grace that it gives them: cancel, TERM, KILL. */
const stopRunsMs = 20_000;
/** From docs/contract.md. */
const stopGraceSeconds = 30;
const usualGraceMs = 5000;
const answerWithinMs = 2000;

export type ProgramsParts = {
  journal: string;
  /** The nats-server to start; null where there is a bus of the user's own, or of another host. */
  natsServer: string | null;
  /** Whether it only takes part in another host's bus: then the clock is that host's business. */
  isWorker: boolean;
  env: NodeJS.ProcessEnv;
  log: Logger;
};

export function programsOf({ journal, natsServer, isWorker, env, log }: ProgramsParts): Program[] {
  const bus = natsServer === null ? [] : [natsProgram(journal, natsServer, log)];
  const needs = bus.map(({ name }) => name);
  const own = (program: Parameters<typeof ownProgram>[2]) => ownProgram(journal, env, program);
  return [
    ...bus,
    own({
      name: "mcp-tools",
      needs: [],
      module: "mcp-tools/main",
      answers: answersOverHttp(journal, "mcp-tools"),
      stopGraceMs: () => usualGraceMs,
    }),
    own({
      name: "gateway",
      needs,
      module: "gateway/main",
      answers: answersOverHttp(journal, "gateway"),
      stopGraceMs: () => usualGraceMs,
    }),
    own({
      name: "cortex",
      needs,
      module: "cortex/main",
      stopGraceMs: graceOfRuns(journal, log),
      // TERM would count as an end of its runs' time: killed, it leaves them to the next.
      yieldSignal: "SIGKILL",
    }),
    ...(isWorker
      ? []
      : [
          own({ name: "agents", needs, module: "agents/main", stopGraceMs: () => usualGraceMs }),
          own({ name: "schedule", needs, module: "supervisor/schedule/main", stopGraceMs: () => usualGraceMs }),
          telemetryProgram(journal, env, [...needs, "cortex"]),
          ...channelPrograms(journal, env, [...needs, "cortex"]),
        ]),
  ];
}

/** The settings may change while it runs; while they can't be used, the previous ones are kept. */
function graceOfRuns(journal: string, log: Logger): () => number {
  let seconds = stopGraceSeconds;
  const read = () => {
    try {
      seconds = readSettings(journal).stop_grace_seconds ?? stopGraceSeconds;
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      log.error({ err: error }, "cortex.json can't be used: keeping the previous settings");
    }
    return seconds * 1000 + stopRunsMs;
  };
  read();
  return read;
}

/** Whether its own server answers, and it is that process. */
function answersOverHttp(journal: string, name: string): Probe {
  return async ({ pid }) => {
    const url = (await readProgramRecord(journal, name))?.url;
    if (url === undefined) return false;
    const answer = await fetch(new URL("/health", url), { signal: AbortSignal.timeout(answerWithinMs) });
    return (parseJson(await answer.text()) as { pid?: unknown }).pid === pid;
  };
}
