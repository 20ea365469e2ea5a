/** The command of a run's process: its program, its environment, what the kernel holds it to. */
import { statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { findProgram } from "../../proc/os/find-program.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import type { Isolation } from "../../proc/runs/isolation.ts";
import type { KernelLimits } from "../../proc/runs/run.ts";
import { acpPreset } from "../../protocol/settings/acp-presets.ts";
import type { BuiltInBackendName } from "../../protocol/settings/backends.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { ConfigError } from "../model/config-error.ts";
import { terminatedMs } from "../model/run-state.ts";
import { acpCommand, type BackendChoice, backendFor } from "../plan/backend-choice.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";
import type { GatewayAccess } from "../plan/metered-providers.ts";
import { runEnvironment } from "../plan/run-environment.ts";
import type { ProcessKind } from "./warm-pool.ts";

/** Most of its life a run waits, and there may be a thousand: what is young is kept in 1 MiB, which saves each 1.4. */
const agentCommand = [process.execPath, "--max-semi-space-size=1", packageFile("bin/cortex-agent.js")];

/**
 * Seconds for which a run goes on without a living cortex, unless the settings say otherwise: from docs/contract.md.
 */
const orphanGraceSeconds = 120;

/** Seconds that cortex has to stop it with its reason. */
const cpuMarginSeconds = 2;

type CommandParts = {
  settings: Settings;
  isolation: Isolation;
  resources: ResourceLimits;
  gateway?: GatewayAccess | undefined;
};

/** All that a run's process is started with, but for where it works. */
export function runCommand({
  journal,
  plan,
  ...around
}: { journal: string; plan: Plan } & CommandParts): ProcessKind["command"] {
  return commandFor(programOf(journal, plan.backend), plan.backend, plan.env, around);
}

/** The kind of waiting process that would do for a run. Null: it has what no other run may know, or its program can't wait. */
export function warmKind({ backend, env }: Plan, command: ProcessKind["command"]): ProcessKind | null {
  return backend.kind === "built-in" && Object.keys(env).length === 0 ? { backend: backend.name, command } : null;
}

/** The kind that runs without any wishes of their own will want. */
export function expectedKind(name: BuiltInBackendName, around: CommandParts): ProcessKind {
  return { backend: name, command: commandFor(agentCommand, backendFor(name, {}), {}, around) };
}

function commandFor(
  command: string[],
  backend: BackendChoice,
  env: Record<string, string>,
  { settings, isolation, resources, gateway }: CommandParts,
): ProcessKind["command"] {
  return {
    command,
    env: runEnvironment(process.env, backend, env, gateway),
    isolation,
    ...gracesOf(settings),
    limits: kernelLimits(resources),
  };
}

/**
 * The limits that the kernel can hold by itself. It stops who goes on with a spent CPU time a little later than cortex
 * does, if it is there.
 */
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
  const { command } = backend.kind === "declared" ? backend.declared : {};
  return command === undefined ? agentCommand : foundCommand(journal, backend.name, command);
}

/**
 * The command of a coding agent, which the run's own process starts; undefined: its backend is none.
 * @throws ConfigError when its program isn't there
 */
export function agentProgram(journal: string, backend: BackendChoice): string[] | undefined {
  const command = acpCommand(backend);
  return command && foundCommand(journal, backend.name, command);
}

function foundCommand(journal: string, backend: string, command: readonly string[]): string[] {
  const [program = "", ...args] = command;
  const path = programPath(journal, program);
  if (path !== null) return [path, ...args.map((word) => journalFile(journal, word) ?? word)];
  const preset = acpPreset(backend);
  const remedy = preset?.command[0] === program ? `: ${preset.install}` : "";
  throw new ConfigError(
    `cannot start backend "${backend}": its program "${program}" is neither an executable file nor on the PATH${remedy}`,
  );
}

/** Where a backend's program is, in the journal or on the PATH, or null. */
export const programPath = (journal: string, program: string): string | null =>
  findProgram(journalFile(journal, program) ?? program);

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
