/** Merges the settings' defaults, the persona and the request, in that order, into what a run is. Pure. */
import type { z } from "zod";
import { mostOfAgent } from "../../protocol/agents/agent-context.ts";
import { type BackendChoice, backendFor } from "./backend-choice.ts";
import { ConfigError } from "../model/config-error.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { isDay, namePattern, savePattern } from "../../protocol/names/names.ts";
import { expandTools, packs } from "../../protocol/settings/packs.ts";
import type { PermissionRule } from "../../protocol/settings/permissions.ts";
import { unknownTools } from "./unknown-tools.ts";
import { narrowedNetwork } from "../../protocol/runs/request/network.ts";
import { type SandboxMode, strictestSandbox } from "../../protocol/runs/request/sandbox-mode.ts";
import { type Persona, PersonaSettings } from "../../protocol/settings/persona.ts";
import { type Handoff, Limits, type Request, requestFields } from "../../protocol/runs/request/request.ts";
import type { Message } from "../../protocol/runs/run-config.ts";
import type { Trust } from "../../protocol/runs/request/trust.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { noExternalTools, type ExternalTools } from "./external-tools.ts";
import { cappedLimits, cappedNames, loweredLimits, type ResourceDefaults } from "./resource-limits.ts";
import { listedVariables, refusedVariables } from "./run-environment.ts";

/** From docs/contract.md. */
const defaults = { timeout_seconds: 600, idle_timeout_seconds: 180, max_attempts: 3, max_output_bytes: 1024 ** 3 };

/** The limits that cortex itself enforces: all of them but the backend's. Other fields are stripped. */
const CortexLimits = Limits.strip().omit({ max_turns: true });

export type RunLimits = z.infer<typeof CortexLimits> & typeof defaults;

/** The plan of a run, once everything is merged. */
export type Plan = {
  backend: BackendChoice;
  persona: string;
  model: string | undefined;
  limits: RunLimits;
  day: string;
  tools: string[];
  /** The persona's own rules of which tool calls are made. */
  permissions: PermissionRule[] | undefined;
  /** The trust that says which calls wait for a person; of a workspace's agent. */
  trust: Trust | undefined;
  /** Whether commands of it are to be walled in; of one that has no tool for commands it says nothing. */
  sandbox: SandboxMode;
  /** Whether they are, which depends on the machine. */
  isWalled: boolean;
  /** The hosts that they may reach in there. */
  network: string[];
  /** The wall around its whole process, where its backend asked for one and there is one: the hosts that it reaches. */
  wall?: { network: string[] } | undefined;
  /** Where it works, as it was asked for; once it is known to be allowed, the real path. Absent: in a folder of its own. */
  folder?: string | undefined;
  /** Which worktree of that folder it works in. Absent: in the folder itself. */
  worktree?: string | undefined;
  save: string | undefined;
  handoff: Handoff | undefined;
  continueFrom: string | undefined;
  /** The long-lived agent from whose history it goes on, where that is here. */
  agentHistory?: string | undefined;
  /** The conversation before its prompt, where its request has it. */
  conversation?: Message[] | undefined;
  env: Record<string, string>;
  stream: boolean;
  /** Whether its exchanges with models are kept, as far as the gateway sees them. */
  record?: boolean | undefined;
  /** Everything that the subprocess is told, but for what is known only when it starts. */
  config: Record<string, unknown>;
  /** The notes that are worth telling before it starts. */
  notes: string[];
};

/** How many model calls with tools a backend makes unless it is told: docs/contract.md. */
const defaultMaxTurns = 50;

/** The fields that a persona has about itself rather than about its runs. */
const personaOnly = [
  "title",
  "description",
  "schedule",
  "missed",
  "multi_facet",
  "always",
  "text_is_reply",
  "disabled",
  "task",
  "permissions",
];

/** The fields that cortex itself makes of a request, and the agent needn't know. */
const ownFields = [
  "event",
  "ts",
  "env",
  "save",
  "handoff",
  "priority",
  "backend",
  "model",
  "tools",
  "sandbox",
  "network",
  "folder",
  "worktree",
  "record",
  "work_of",
  "attachments",
  "parts",
  "conversation",
  "watched",
  "trust",
  "schedule",
  "again_of",
  "acp",
];

export type MergeContext = {
  settings: Settings;
  persona: Persona;
  defaultBackend: string;
  timeZone: string;
  /** Absent: none is named. */
  external?: ExternalTools;
  /** The machine's resources that a run may have where the settings don't say. */
  resources: ResourceDefaults;
};

/**
 * Merges a request.
 * @throws ConfigError
 */
export function planRun(agentId: string, request: Request, around: MergeContext): Plan {
  const { settings, persona, external = noExternalTools } = around;
  const ofPersona = Object.fromEntries(Object.entries(persona.settings).filter(([key]) => !personaOnly.includes(key)));
  const merged: Record<string, unknown> & Request = { ...settings.limits, ...ofPersona, ...request };

  const personaBackend = persona.settings.backend ?? around.defaultBackend;
  const backend = backendFor(request.backend ?? personaBackend, settings);
  const personaModel = backend.name === personaBackend ? persona.settings.model : undefined;
  const declaredModel = backend.kind === "declared" ? backend.declared.model : undefined;
  const model = request.model ?? personaModel ?? settings.default_model?.[backend.name] ?? declaredModel;

  checkNames(merged);
  checkEnvironment(request.env ?? {}, backend);
  const wanted = lowest(Limits.parse(merged), Limits.parse(ofPersona), request);
  const resources = loweredLimits(wanted, settings.limits, around.resources);
  const output = cappedLimits(["max_output_bytes"], wanted, { ...defaults, ...settings.limits });
  const { names, unknown } = expandTools(merged.tools, external.packs);
  const notThere = [...new Set([...unknown, ...external.unknown])];
  // A server of the request's own has tools that nobody here knows.
  const isJudged = !merged.disable_mcp && merged.mcp_server_url === undefined;
  // What cortex and agents' service have put together isn't misspelt: a tool has gone since.
  const isTyped = request.handoff_from === undefined && request.agent === undefined;
  const toolsProblem = isJudged ? unknownTools(notThere, merged.tools, external) : null;
  if (toolsProblem !== null && isTyped) throw new ConfigError(toolsProblem);
  const network = narrowedNetwork(settings.network, persona.settings.network, request.network);
  const config = {
    ...(backend.name === "openai" && settings.openai && { openai: settings.openai }),
    ...conversationSettings(settings, request),
    ...(request.conversation !== undefined && { keeps_conversation: true }),
    ...Object.fromEntries(Object.entries(merged).filter(([key]) => !ownFields.includes(key))),
    ...resources.limits,
    ...output.limits,
    persona: persona.name,
    backend: backend.name,
    ...(model === undefined ? {} : { model }),
    ...maxTurns(merged),
    ...(names.includes("web_search") &&
      (!isAllowed("web_search", [...(persona.settings.permissions ?? []), ...(settings.permissions ?? [])]) ||
        isDoubted("web_search", request.trust)) && {
        provider_search: false,
      }),
    // Of a turn it is the agent's, of a conversation that others keep it is theirs; of any other run it is the persona's.
    instruction: (hasOwnInstruction(request) && request.instruction) || persona.instruction,
  };
  return {
    backend,
    persona: persona.name,
    model,
    limits: { ...defaults, ...maxAttempts(settings), ...definedLimits(merged), ...resources.limits, ...output.limits },
    day: merged.day ?? dayOf(Number(agentId), around.timeZone),
    tools: merged.disable_mcp ? [] : names,
    permissions: persona.settings.permissions,
    trust: request.trust,
    sandbox: strictestSandbox(settings.sandbox, persona.settings.sandbox, request.sandbox),
    isWalled: false,
    network: network.allowed,
    folder: merged.folder,
    worktree: merged.worktree === true ? agentId : undefined,
    save: merged.save,
    handoff: merged.handoff,
    continueFrom: request.continue_from,
    agentHistory: request.agent_history ? request.agent : undefined,
    env: merged.env ?? {},
    stream: merged.stream ?? false,
    ...(merged.record === true && { record: true }),
    config,
    notes: [
      ...notesOn(request),
      ...(toolsProblem === null ? [] : [toolsProblem]),
      ...networkNotes(network.refused),
      ...external.notes,
      ...resources.notes,
      ...output.notes,
    ],
  };
}

/** Tokens of a conversation: below it nothing is summed up. */
const leastSize = 1000;

/** Picks the settings of long conversations and long answers. Those of agents have a size of their own. */
function conversationSettings(settings: Settings, { agent }: Request): Record<string, unknown> {
  const { context_window, compaction, continue_cut_answers, agents } = settings;
  const isOfAgent = agent !== undefined;
  const ofAgents = isOfAgent && agents?.context_window;
  const windows = { ...(ofAgents && { "*": Math.max(leastSize, ofAgents) }), ...context_window };
  const most = isOfAgent ? { most: Math.max(leastSize, mostOfAgent(agents)) } : {};
  const summed = { ...most, ...compaction };
  return {
    ...(Object.keys(windows).length > 0 && { context_window: windows }),
    ...(Object.keys(summed).length > 0 && { compaction: summed }),
    ...(continue_cut_answers !== undefined && { continue_cut_answers }),
  };
}

const hasOwnInstruction = ({ agent, conversation }: Request) => agent !== undefined || conversation !== undefined;

/** Whether rules let a tool be called whatever its arguments are, without asking: nobody here sees a provider's own calls. */
function isAllowed(name: string, rules: readonly PermissionRule[]): boolean {
  for (const { tool, match, decide } of rules) {
    if (tool !== "*" && tool !== name && !packs[tool]?.includes(name)) continue;
    if (decide !== "allow") return false;
    if (match === undefined) return true;
  }
  return true;
}

/** Whether a tool that only reads may have to wait for a person, by the trust in an agent. */
function isDoubted(name: string, trust: Trust | undefined): boolean {
  const isNamed = (tool: string) => tool === "*" || tool === name || packs[tool]?.includes(name) === true;
  return trust !== undefined && (trust.level === 0 || [...trust.approve, ...trust.escalate].some(isNamed));
}

function checkNames(merged: Request): void {
  if (merged.facet !== undefined && !namePattern.test(merged.facet))
    throw new ConfigError(`facet "${merged.facet}": expected a name of lower-case letters, digits, - and _`);
  if (merged.day !== undefined && !isDay(merged.day))
    throw new ConfigError(`day "${merged.day}": expected a date as YYYYMMDD`);
  if (merged.save !== undefined && !savePattern.test(merged.save))
    throw new ConfigError(`save "${merged.save}": expected a file name below the day's folder, without ".."`);
}

function checkEnvironment(env: Record<string, string>, backend: BackendChoice): void {
  const refused = refusedVariables(env, backend);
  if (refused.length > 0) throw new ConfigError(`env may not set ${refused.join(", ")}: ${whatToDo(backend)}`);
}

function whatToDo(backend: BackendChoice): string {
  if (backend.kind === "built-in") return "set it where cortex runs, or declare a backend with it";
  const field = `backends.${backend.name}.request_env`;
  const listed = listedVariables(backend);
  if (!listed) return `programs take code, files or addresses from it; name it in ${field} to let requests set it`;
  return listed.length > 0 ? `${field} allows ${listed.join(", ")} alone` : `${field} allows none`;
}

/** A backend makes one more call without tools: with that it ends by itself where it would have to be stopped. */
function maxTurns({ max_turns, max_total_turns }: Request): { max_turns?: number } {
  if (max_total_turns === undefined) return {};
  return { max_turns: Math.min(max_turns ?? defaultMaxTurns, Math.max(1, max_total_turns - 1)) };
}

/** Lowers the limits that nobody raises to the smaller one of the persona's and the request's. */
function lowest(merged: Limits, persona: Limits, request: Limits): Limits {
  const lower = cappedNames.flatMap((name) => {
    const [ofPersona, ofRequest] = [persona[name], request[name]];
    return ofPersona === undefined || ofRequest === undefined ? [] : [[name, Math.min(ofPersona, ofRequest)]];
  });
  return { ...merged, ...Object.fromEntries(lower) };
}

function maxAttempts(settings: Settings): Partial<RunLimits> {
  return settings.max_attempts === undefined ? {} : { max_attempts: settings.max_attempts };
}

function definedLimits(merged: Request): Partial<RunLimits> {
  return Object.fromEntries(Object.entries(CortexLimits.parse(merged)).filter(([, value]) => value !== undefined));
}

function networkNotes(refused: string[]): string[] {
  return refused.length === 0
    ? []
    : [`network: ${refused.join(", ")}: not in "network" of cortex.json, so it can't be reached`];
}

function notesOn(request: Request): string[] {
  const notes: string[] = [];
  const known = (key: string) => requestFields.has(key) || key in PersonaSettings.shape;
  const unknown = Object.keys(request).filter((key) => !known(key) && !ownFields.includes(key));
  if (unknown.length > 0) notes.push(`unknown fields, passed to the backend as they are: ${unknown.join(", ")}`);
  return notes;
}
