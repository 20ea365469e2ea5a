/** Starts a run's process: its folder, its token, its one line of configuration, its shim. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { facetFolder, readFacet } from "../journal/facets.ts";
import { readProgramRecord } from "../journal/programs.ts";
import { attemptFolder } from "../journal/run-folder.ts";
import { issueToken } from "../journal/tokens.ts";
import { findProgram } from "../proc/find-program.ts";
import type { Isolation } from "../proc/isolation.ts";
import { packageFile } from "../proc/package-file.ts";
import { type KernelLimits, prepareRun, putLine, startRun } from "../proc/run.ts";
import type { Message, RunConfig } from "../protocol/run-config.ts";
import type { Settings } from "../protocol/settings.ts";
import { worksInFacet } from "./backend-choice.ts";
import { ConfigError } from "./config-error.ts";
import type { Plan } from "./merge.ts";
import type { ResourceLimits } from "./resource-limits.ts";
import { runEnvironment } from "./run-environment.ts";
import { terminatedMs } from "./table.ts";
import { reached } from "../proc/durable-point.ts";

const agentBin = packageFile("bin/cortex-agent.js");

/** How long a run goes on without a living cortex, unless the settings say otherwise: from the contract. */
const orphanGraceSeconds = 120;

/** What cortex has time for to stop it with its reason. */
const cpuMarginSeconds = 2;

export type Launch = {
  journal: string;
  agentId: string;
  attempt: number;
  plan: Plan;
  history: Message[];
  settings: Settings;
  isolation: Isolation;
  resources: ResourceLimits;
  timeZone: string;
  workFolder: string;
  mcpToken: string | undefined;
  /** Whether it may start, once that is known. Everything else is prepared meanwhile. */
  mayStart: Promise<boolean>;
};

/** Where the agent works: in an empty folder outside of the journal, or in its facet's. */
export async function makeWorkFolder(journal: string, { backend, config }: Plan): Promise<string> {
  if (worksInFacet(backend)) return facetFolder(journal, String(config["facet"]));
  return mkdtemp(join(tmpdir(), "cortex-run-"));
}

/** Removes what was made for the run; a facet's folder wasn't. */
export async function removeWorkFolder(folder: string, { backend }: Plan): Promise<void> {
  if (!worksInFacet(backend)) await rm(folder, { recursive: true, force: true });
}

/** A token for the built-in tools, if the run has any. */
export async function tokenFor(journal: string, agentId: string, plan: Plan): Promise<string | undefined> {
  const isOurs = plan.config["mcp_server_url"] === undefined;
  return plan.tools.length > 0 && isOurs ? issueToken(journal, agentId, plan.tools) : undefined;
}

/**
 * Starts an attempt. Safe to repeat: an agent is started at most once an attempt. Resolves with whether it might.
 * @throws ConfigError when its program isn't there
 */
export async function startAttempt(launch: Launch): Promise<boolean> {
  const { journal, agentId, attempt, plan, settings } = launch;
  const command = commandOf(plan);
  const folder = attemptFolder(journal, agentId, attempt);
  await prepareRun(folder);
  await putLine(folder, JSON.stringify(await configLine(launch)), 1);
  reached("configuration put");
  if (!(await launch.mayStart)) return false;
  reached("begun");
  await startRun(folder, {
    command,
    env: runEnvironment(process.env, plan.backend, plan.env),
    workFolder: launch.workFolder,
    isolation: launch.isolation,
    ...gracesOf(settings),
    limits: kernelLimits(launch.resources),
  });
  reached("spawned");
  return true;
}

/** What the kernel can see to by itself. It stops who goes on with a spent CPU time a little later than cortex does, if it is there. */
function kernelLimits({ max_open_files, max_processes, max_cpu_seconds }: ResourceLimits): KernelLimits {
  const cpuSeconds = max_cpu_seconds === undefined ? undefined : max_cpu_seconds + cpuMarginSeconds;
  return { openFiles: max_open_files, tasks: max_processes, cpuSeconds };
}

/** How long a run goes on when nobody watches over it, and how long it may then take to stop. */
export function gracesOf(settings: Settings): { orphanGraceSeconds: number; stopGraceSeconds: number } {
  return {
    orphanGraceSeconds: settings.orphan_grace_seconds ?? orphanGraceSeconds,
    stopGraceSeconds: terminatedMs / 1000,
  };
}

function commandOf({ backend }: Plan): string[] {
  if (backend.kind === "built-in") return [process.execPath, agentBin];
  const [program = "", ...args] = backend.declared.command;
  const path = findProgram(program);
  if (path === null)
    throw new ConfigError(
      `cannot start backend "${backend.name}": its program "${program}" is neither an executable file nor on the PATH`,
    );
  return [path, ...args];
}

async function configLine({
  journal,
  agentId,
  attempt,
  plan,
  history,
  mcpToken,
  timeZone,
}: Launch): Promise<RunConfig> {
  const tools = await readProgramRecord(journal, "mcp-tools");
  const ownServer = plan.config["mcp_server_url"];
  const url = typeof ownServer === "string" ? ownServer : tools?.url;
  const isDisabled = plan.config["disable_mcp"] === true || url === undefined;
  return {
    ...(plan.config as RunConfig),
    agent_id: agentId,
    attempt,
    day: plan.day,
    extra_context: context(journal, plan, timeZone),
    history,
    tools: plan.tools,
    ...(isDisabled ? {} : { mcp_server_url: url, ...(mcpToken === undefined ? {} : { mcp_token: mcpToken }) }),
  };
}

/** What the run is about, beside its prompt. */
function context(journal: string, plan: Plan, timeZone: string): string {
  const now = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "short", timeZone }).format();
  const lines = [`Now: ${now} (${timeZone}).`, `The day in question: ${plan.day}.`];
  const name = plan.config["facet"];
  if (typeof name === "string") {
    const facet = readFacet(journal, name);
    lines.push(`The facet in question: ${name}${facet.title === name ? "" : `, "${facet.title}"`}.`);
    if (facet.description) lines.push(facet.description);
  }
  return lines.join("\n");
}
