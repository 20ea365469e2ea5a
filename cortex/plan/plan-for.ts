/** Finds what a request names, and merges it. */
import { readFacet, UnknownFacetError } from "../../journal/notes/facets.ts";
import { personaNamePattern } from "../../protocol/names/names.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { narrowedNetwork } from "../../protocol/runs/request/network.ts";
import { programMode, strictestSandbox } from "../../protocol/runs/request/sandbox-mode.ts";
import { acpCommand, type BackendChoice, worksInFacet } from "./backend-choice.ts";
import { allowedFolder } from "../folders/allowed-folder.ts";
import { folderNotes } from "../folders/folder-notes.ts";
import { worktreePaths } from "../../journal/worktrees/worktree-record.ts";
import { ConfigError } from "../model/config-error.ts";
import { packs } from "../../protocol/settings/packs.ts";
import { type Plan, planRun } from "./merge.ts";
import { externalTools } from "./external-tools.ts";
import type { ResourceDefaults } from "./resource-limits.ts";

export type PlanContext = {
  journal: string;
  settings: Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
  timeZone: string;
  defaultBackend: string;
  resources: ResourceDefaults;
  /** Whether the run that it names in `handoff_from` did hand on to it. */
  isHandedOn: boolean;
  /** Where the run works that it continues, or that handed on to it. */
  source?: WorkSource | undefined;
};

/** @field worktree that of the folder in which it works, where that is still there */
export type WorkSource = { folder?: string | undefined; worktree?: string | undefined };

/** @throws ConfigError when something that it names isn't there */
export async function planFor(agentId: string, request: Request, around: PlanContext): Promise<Plan> {
  const persona = findPersona(request.persona ?? "default", around.personas);
  if (request.handoff_from !== undefined && !around.isHandedOn)
    throw new ConfigError(
      `handoff_from "${request.handoff_from}": that run didn't hand off to ${agentId}; cortex sets this field itself`,
    );
  const external = await externalTools(around.journal, { ...persona.settings, ...request }, around.settings);
  const plan = planRun(agentId, request, { ...around, persona, external });
  const { attachments, loop_limit } = around.settings;
  if (attachments) plan.config["attachment_limits"] = attachments;
  if (loop_limit !== undefined) plan.config["loop_limit"] = loop_limit;
  const { facet, instruction } = plan.config;
  if (typeof facet === "string") findFacet(around.journal, facet);
  const folder = folderOf(plan, request, around);
  const worktree = worktreeOf(agentId, plan, request, folder, around.source);
  if (folder !== undefined) {
    const notes = folderNotes(folder, worktree && worktreePaths(around.journal, worktree).files);
    plan.config["instruction"] = typeof instruction === "string" ? `${instruction}\n\n${notes}` : notes;
  } else if (worksInFacet(plan.backend) && facet === undefined)
    throw new ConfigError(`the ${plan.backend.name} backend works in a facet's folder: give one with --facet`);
  const placed = { ...plan, folder, worktree };
  const wall = await wallOf(plan.backend, around.settings, persona.settings, request);
  return { ...placed, isWalled: await isWalled(placed), wall };
}

/**
 * The wall around a declared backend's program, where its declaration asks for one; around a coding agent, whose own tools run
 * commands, also where a persona or a request does.
 * @throws ConfigError where it needs one and there is none
 */
async function wallOf(
  backend: BackendChoice,
  settings: Settings,
  ...wanted: Pick<Request, "sandbox" | "network">[]
): Promise<Plan["wall"]> {
  const { sandbox, network = settings.network } = backend.kind === "declared" ? backend.declared : {};
  const asked = acpCommand(backend) ? wanted.map((one) => one.sandbox) : [];
  const mode = strictestSandbox(programMode(sandbox), ...asked);
  if (mode === "off") return undefined;
  const { sandboxHere, sandboxRemedy } = await import("../../sandbox/sandbox-level.ts");
  const found = await sandboxHere();
  if (found.level !== "none") return { network: narrowedNetwork(network, ...wanted.map((one) => one.network)).allowed };
  if (mode === "preferred") return undefined;
  throw new ConfigError(
    `the backend ${backend.name} must run in a sandbox, and this machine has none (${found.why}): ${sandboxRemedy(found)}`,
  );
}

/** The folder of the user's where a request's run is to work. None where it can't have the one that it names, which its plan says. */
export function folderFor(request: Request, around: PlanContext): string | undefined {
  try {
    return folderOf(findPersona(request.persona ?? "default", around.personas).settings, request, around);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The real path of the folder where it works: a conversation stays where it is, unless its request says otherwise. */
function folderOf({ folder }: Pick<Plan, "folder">, request: Request, { settings, journal, source }: PlanContext) {
  // Of a turn the agents' service says it: not all of a persona's agents may work in its folder.
  const usual = request.agent === undefined ? folder : undefined;
  const named = request.folder ?? (request.continue_from === undefined ? undefined : source?.folder) ?? usual;
  return named === undefined ? undefined : allowedFolder(named, settings.folders ?? [], journal);
}

/**
 * Which worktree of the folder it works in. A conversation stays in the one that it has; all turns of an agent, and its tasks'
 * that share its folder, have one.
 */
function worktreeOf(
  agentId: string,
  plan: Plan,
  request: Request,
  folder: string | undefined,
  source: WorkSource | undefined,
): string | undefined {
  const isSame = source?.folder !== undefined && source.folder === folder;
  const former = isSame ? source.worktree : undefined;
  const isUsual = request.agent === undefined && plan.worktree !== undefined;
  if (!(request.worktree ?? (former !== undefined || isUsual))) return undefined;
  if (folder === undefined) throw new ConfigError("worktree: of which folder? Give one that is a Git repository");
  return request.agent === undefined ? (former ?? agentId) : (request.work_of ?? request.agent);
}

/** Whether its commands get a sandbox. Tried only for runs that have commands or the user's folder: others don't wait for it. */
async function isWalled({ tools, sandbox, folder }: Plan): Promise<boolean> {
  const hasCommands = tools.some((name) => packs["exec"]?.includes(name));
  if (sandbox === "off" || (!hasCommands && folder === undefined)) return false;
  const { sandboxHere, sandboxRemedy } = await import("../../sandbox/sandbox-level.ts");
  const found = await sandboxHere();
  if (found.level !== "none") return true;
  if (sandbox === "preferred") return false;
  const what = hasCommands ? "its tools hold commands, which need" : "it works in a folder of yours, which needs";
  throw new ConfigError(`${what} a sandbox here, and there is none (${found.why}): ${sandboxRemedy(found)}`);
}

function findPersona(name: string, personas: PlanContext["personas"]): Persona {
  const persona = personaNamePattern.test(name) ? personas.get(name) : undefined;
  if (persona?.settings.disabled) throw new ConfigError(`persona "${name}" is disabled: see ${persona.path}`);
  if (persona) return persona;
  const problem = personas.problems().find((known) => known.name === name);
  if (problem) throw new ConfigError(`persona "${name}" can't be read: ${problem.error}; fix ${problem.path}`);
  const nearest = nearestName(
    name,
    personas.all().map((known) => known.name),
  );
  const meant = nearest === null ? "" : ` (did you mean "${nearest}"?)`;
  throw new ConfigError(`unknown persona "${name}"${meant}: see cortex persona list`);
}

function findFacet(journal: string, facet: string): void {
  try {
    readFacet(journal, facet);
  } catch (error) {
    if (error instanceof UnknownFacetError) throw new ConfigError(error.message);
    throw error;
  }
}
