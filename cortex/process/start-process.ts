/** Starts a run's process: its folder, its token, its one line of configuration, its shim. */
import { existsSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { facetFolder, readFacet } from "../../journal/notes/facets.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { attemptFolder } from "../../journal/runs/run-folder.ts";
import { issueToken } from "../../journal/access/tokens.ts";
import { findProgram } from "../../proc/os/find-program.ts";
import type { Isolation } from "../../proc/runs/isolation.ts";
import { endWarm } from "../../proc/runs/end-warm.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import { type KernelLimits, lives, prepareRun, putLine, startRun } from "../../proc/runs/run.ts";
import { isWaitingForRun, takeWarm } from "../../proc/runs/warm-run.ts";
import type { BeginLine, Message, RunConfig } from "../../protocol/runs/run-config.ts";
import type { BuiltInBackendName } from "../../protocol/settings/backends.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { type BackendChoice, backendFor, worksInFacet } from "../plan/backend-choice.ts";
import { ConfigError } from "../model/config-error.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";
import { runEnvironment } from "../plan/run-environment.ts";
import { terminatedMs } from "../model/run-state.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { Kind, Waiting, WarmPool } from "./warm-pool.ts";

/** Most of its life a run waits, and there may be a thousand: what is young is kept in 1 MiB, which saves each 1.4. */
const agentCommand = [process.execPath, "--max-semi-space-size=1", packageFile("bin/cortex-agent.js")];

/** How long a run goes on without a living cortex, unless the settings say otherwise: from docs/contract.md. */
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
  /** Processes that wait for a run. */
  warm: WarmPool;
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
  const { mcp_server_url, disable_mcp } = plan.config;
  const isOurs = mcp_server_url === undefined && disable_mcp !== true;
  return plan.tools.length > 0 && isOurs ? issueToken(journal, agentId, plan.tools) : undefined;
}

/**
 * Starts an attempt. Safe to repeat: an agent is started at most once an attempt. Resolves with whether it might.
 * @throws ConfigError when its program isn't there
 */
export async function startAttempt(launch: Launch): Promise<boolean> {
  const { journal, agentId, attempt, plan, warm } = launch;
  const command = runCommand(launch);
  const folder = attemptFolder(journal, agentId, attempt);
  const config = JSON.stringify(await configLine(launch));
  await forgetUntold(folder);
  if (isWaitingForRun(folder)) return (await launch.mayStart) && tell(folder, launch, config);
  const kind = warmKind(plan, command);
  const waiting = kind && !existsSync(folder) ? warm.reserve(kind) : null;
  const isWarm = waiting !== null && (await takeWaiting(launch, waiting, folder));
  return isWarm ? tell(folder, launch, config) : startCold(launch, command, folder, config);
}

async function startCold(launch: Launch, command: Kind["command"], folder: string, config: string): Promise<boolean> {
  await prepareRun(folder);
  await putLine(folder, config, 1);
  failpoint("configuration-put");
  if (!(await launch.mayStart)) return false;
  failpoint("begun");
  await startRun(folder, { ...command, workFolder: launch.workFolder });
  failpoint("spawned");
  return true;
}

/** Takes a process that waits, once the run may start. False: it may not, or the process died while the bus was asked. */
async function takeWaiting({ mayStart, warm }: Launch, waiting: Waiting, folder: string): Promise<boolean> {
  let isTaken = false;
  try {
    if (!(await mayStart) || !lives(waiting.folder)) return false;
    failpoint("begun");
    takeWarm(waiting.folder, folder);
    isTaken = true;
  } finally {
    if (!isTaken) warm.giveBack(waiting);
  }
  failpoint("warm-process-taken");
  return true;
}

/** What makes a waiting process that of this run: two lines in one place of its stdin, so that both are put at once. */
async function tell(folder: string, { workFolder }: Launch, config: string): Promise<true> {
  const begin: BeginLine = { type: "begin", work_folder: workFolder };
  await putLine(folder, `${JSON.stringify(begin)}\n${config}`, 1);
  failpoint("warm-process-told");
  return true;
}

/** A process that was taken for this attempt and died before it was told is as good as none. */
async function forgetUntold(folder: string): Promise<void> {
  if (isWaitingForRun(folder) && !lives(folder)) await endWarm(folder);
}

/** All that a run's process is started with, but for where it works. */
function runCommand({ journal, plan, ...around }: Launch): Kind["command"] {
  return commandFor(programOf(journal, plan.backend), plan.backend, plan.env, around);
}

/** The kind of waiting process that would do for a run. Null: it has what no other run may know, or its program can't wait. */
function warmKind({ backend, env }: Plan, command: Kind["command"]): Kind | null {
  return backend.kind === "built-in" && Object.keys(env).length === 0 ? { backend: backend.name, command } : null;
}

/** The kind that runs without any wishes of their own will want. */
export function expectedKind(name: BuiltInBackendName, around: CommandParts): Kind {
  return { backend: name, command: commandFor(agentCommand, backendFor(name, {}), {}, around) };
}

type CommandParts = Pick<Launch, "settings" | "isolation" | "resources">;

function commandFor(
  command: string[],
  backend: BackendChoice,
  env: Record<string, string>,
  { settings, isolation, resources }: CommandParts,
): Kind["command"] {
  return {
    command,
    env: runEnvironment(process.env, backend, env),
    isolation,
    ...gracesOf(settings),
    limits: kernelLimits(resources),
  };
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

function programOf(journal: string, backend: BackendChoice): string[] {
  if (backend.kind === "built-in") return agentCommand;
  const [program = "", ...args] = backend.declared.command.map((word) => journalFile(journal, word) ?? word);
  const path = findProgram(program);
  if (path === null)
    throw new ConfigError(
      `cannot start backend "${backend.name}": its program "${program}" is neither an executable file nor on the PATH`,
    );
  return [path, ...args];
}

/** The path of a word that names a file of the journal: a run works in a folder of its own, where it wouldn't be found. */
function journalFile(journal: string, word: string): string | null {
  if (isAbsolute(word) || word.startsWith("-")) return null;
  const path = join(journal, word);
  return isFile(path) ? path : null;
}

/** A word may be a whole script, which is too long for a name. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
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
    // What a long-lived agent is told mustn't change from turn to turn: it can ask for the time.
    ...(plan.config["agent"] === undefined && { extra_context: context(journal, plan, timeZone) }),
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
