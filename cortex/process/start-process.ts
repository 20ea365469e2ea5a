/** Starts a run's process: its folder, its token, its one line of configuration, its shim. */
import { existsSync } from "node:fs";
import { readFacet } from "../../journal/notes/facets.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { noteSentPrompt } from "../../journal/sent-prompts/sent-prompts.ts";
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import type { Isolation } from "../../proc/runs/isolation.ts";
import { isSummary } from "../../conversation/summary/summary-message.ts";
import { endWarm } from "../../proc/runs/end-warm.ts";
import { isAgentAlive, prepareRun, putLine, startRun } from "../../proc/runs/run.ts";
import { isWaitingForRun, takeWarm } from "../../proc/runs/warm-run.ts";
import type { BeginLine, Message, RunConfig } from "../../protocol/runs/run-config.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Plan } from "../plan/merge.ts";
import type { GatewayAccess } from "../plan/metered-providers.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";
import { failpoint } from "../../proc/programs/failpoint.ts";
import { gatewayAccess } from "./gateway-access.ts";
import { agentProgram, runCommand, warmKind } from "./run-command.ts";
import type { ProcessKind, WarmProcess, WarmPool } from "./warm-pool.ts";

/** The place where attempts are started. */
export type LaunchHost = {
  journal: string;
  isolation: Isolation;
  /** Processes that wait for a run. */
  warm: Pick<WarmPool, "reserve" | "giveBack">;
};

export type AttemptLaunch = {
  agentId: string;
  attempt: number;
  plan: Plan;
  history: Message[];
  /** Whether the history holds what the run was asked. */
  hasPrompt?: boolean;
  /** Calls of the attempt before that waited for a person. */
  waitingCalls?: string[];
  /** Ids of inputs that stand in the history, which no model has said to have heard. */
  formerInputs?: string[];
  settings: Settings;
  resources: ResourceLimits;
  timeZone: string;
  workFolder: string;
  mcpToken: string | undefined;
  /** That for the gateway; undefined: it reaches no model through it. */
  gatewayToken?: string | undefined;
  /** A text without the run's secrets. */
  hide: (text: string) => string;
  /** Whether it may start, once that is known. Everything else is prepared meanwhile. */
  mayStart: Promise<boolean>;
};

/**
 * Starts an attempt. Safe to repeat: an agent is started at most once an attempt. Resolves with whether it might.
 * @throws ConfigError when its program isn't there
 */
export async function startAttempt(host: LaunchHost, launch: AttemptLaunch): Promise<boolean> {
  const { journal, warm } = host;
  const { agentId, attempt, plan } = launch;
  const folder = attemptFolder(journal, agentId, attempt);
  const gateway = await gatewayAccess(journal, plan, launch.gatewayToken);
  const command = await commandOf(host, launch, folder, gateway);
  const configured = await configLine(journal, launch);
  if (attempt === 1) noteSent(journal, launch, configured);
  const config = JSON.stringify(configured);
  await forgetUntold(folder);
  if (isWaitingForRun(folder)) return (await launch.mayStart) && tell(folder, launch, config);
  const kind = gateway ? null : warmKind(plan, command);
  const waiting = kind && !existsSync(folder) ? warm.reserve(kind) : null;
  const isWarm = waiting !== null && (await takeWaiting(host, launch, waiting, folder));
  return isWarm ? tell(folder, launch, config) : startCold(launch, command, folder, config);
}

/**
 * Notes the first messages of a run. A failure stops no run: the one who asks for them is told what they should have
 * been.
 */
function noteSent(
  journal: string,
  { agentId, hide }: AttemptLaunch,
  { instruction = "", extra_context = "" }: RunConfig,
): void {
  try {
    noteSentPrompt(journal, agentId, { instruction: hide(instruction), context: hide(extra_context) });
  } catch {}
}

async function commandOf(
  host: LaunchHost,
  launch: AttemptLaunch,
  folder: string,
  gateway: GatewayAccess | undefined,
): Promise<ProcessKind["command"]> {
  const command = runCommand({ ...host, ...launch, gateway });
  const { plan, mcpToken } = launch;
  const { wall } = plan;
  if (!wall) return command;
  // Seldom needed, and a while to load.
  const { walledRun } = await import("./walled-run.ts");
  return walledRun(command, {
    ...host,
    ...launch,
    plan: { ...plan, wall },
    folder,
    gateway,
    hasTools: mcpToken !== undefined,
  });
}

async function startCold(
  launch: AttemptLaunch,
  command: ProcessKind["command"],
  folder: string,
  config: string,
): Promise<boolean> {
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
async function takeWaiting(
  { warm }: LaunchHost,
  { mayStart }: AttemptLaunch,
  waiting: WarmProcess,
  folder: string,
): Promise<boolean> {
  let isTaken = false;
  try {
    if (!(await mayStart) || !isAgentAlive(waiting.folder)) return false;
    failpoint("begun");
    takeWarm(waiting.folder, folder);
    isTaken = true;
  } finally {
    if (!isTaken) warm.giveBack(waiting);
  }
  failpoint("warm-process-taken");
  return true;
}

/** Hands a waiting process its run: two lines in one place of its stdin, so that both are put at once. */
async function tell(folder: string, { workFolder }: AttemptLaunch, config: string): Promise<true> {
  const begin: BeginLine = { type: "begin", work_folder: workFolder };
  await putLine(folder, `${JSON.stringify(begin)}\n${config}`, 1);
  failpoint("warm-process-told");
  return true;
}

/** A process that was taken for this attempt and died before it was told is as good as none. */
async function forgetUntold(folder: string): Promise<void> {
  if (isWaitingForRun(folder) && !isAgentAlive(folder)) await endWarm(folder);
}

/** Whether a former attempt has summed up what was said before it. */
const beginsAtSummary = (attempt: number, [first]: readonly Message[]) =>
  attempt > 1 && first !== undefined && isSummary(first);

async function configLine(
  journal: string,
  {
    agentId,
    attempt,
    plan,
    history,
    hasPrompt = false,
    waitingCalls = [],
    formerInputs = [],
    mcpToken,
    timeZone,
  }: AttemptLaunch,
): Promise<RunConfig> {
  const tools = await readProgramRecord(journal, "mcp-tools");
  const ownServer = plan.config["mcp_server_url"];
  const url = typeof ownServer === "string" ? ownServer : tools?.url;
  const isDisabled = plan.config["disable_mcp"] === true || url === undefined;
  const acp = agentProgram(journal, plan.backend);
  const judge = tools?.url && mcpToken ? { url: new URL("/permit", tools.url).href, token: mcpToken } : undefined;
  return {
    ...(plan.config as RunConfig),
    agent_id: agentId,
    attempt,
    day: plan.day,
    // What a long-lived agent is told mustn't change from turn to turn: it can ask for the time.
    ...(plan.config["agent"] === undefined && { extra_context: context(journal, plan, timeZone) }),
    history: beginsAtSummary(attempt, history) ? history : [...(plan.conversation ?? []), ...history],
    ...(hasPrompt && { prompt_in_history: true }),
    attachments_folder: attachmentsFolder(journal),
    ...(waitingCalls.length > 0 && { waiting_calls: waitingCalls }),
    ...(formerInputs.length > 0 && { former_inputs: formerInputs }),
    tools: plan.tools,
    ...(acp && { acp: { command: acp, ...(judge && { permit: judge }), ...(plan.wall && { is_walled: true }) } }),
    ...(isDisabled ? {} : { mcp_server_url: url, ...(mcpToken === undefined ? {} : { mcp_token: mcpToken }) }),
  };
}

/** Builds the context of the run, beside its prompt. */
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
