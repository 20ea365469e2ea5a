/** A run whose backend asked for a wall: its whole program is in a sandbox, with its work folder, its tool server and its hosts. */
import { join } from "node:path";
import { privatePaths } from "../../journal/notes/private-paths.ts";
import { ChannelSecretError } from "../../journal/channels/channel-secret.ts";
import { sandboxKeys } from "../../journal/programs/sandbox-keys.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { plainEnvironment } from "../../proc/programs/plain-environment.ts";
import { sandboxHere, sandboxRemedy } from "../../sandbox/sandbox-level.ts";
import { insideEnvironment, usualWalls } from "../../sandbox/walls/usual-walls.ts";
import { wallTasks } from "../../sandbox/wall-tasks.ts";
import { walledProgram } from "../../sandbox/walled-program.ts";
import { ConfigError } from "../model/config-error.ts";
import type { Plan } from "../plan/merge.ts";
import type { ResourceLimits } from "../plan/resource-limits.ts";
import type { GatewayAccess } from "../plan/metered-providers.ts";
import { runEnvironment } from "../plan/run-environment.ts";
import { readableOf } from "../worktrees/make-worktree.ts";
import type { ProcessKind } from "./warm-pool.ts";

export type WalledRun = {
  journal: string;
  plan: Plan & { wall: NonNullable<Plan["wall"]> };
  workFolder: string;
  /** The folder of the attempt: what is in it goes with the run. */
  folder: string;
  resources: ResourceLimits;
  /** Whether the run has tools of ours. */
  hasTools: boolean;
  /** How it reaches its models; undefined: not through the gateway. */
  gateway?: GatewayAccess | undefined;
};

/** Bytes of one file. */
const fileBytes = 4 * 1024 * 1024 * 1024;
const usual = { processes: 1024, openFiles: 4096 };

/** The command to start instead. @throws ConfigError when there is no sandbox any more */
export async function walledRun(command: ProcessKind["command"], run: WalledRun): Promise<ProcessKind["command"]> {
  const { journal, plan, workFolder, folder, resources } = run;
  const found = await sandboxHere();
  if (!found.wall)
    throw new ConfigError(
      `there is no sandbox any more (${found.why}), and this run needs one: ${sandboxRemedy(found)}`,
    );
  const network = [
    ...plan.wall.network,
    ...(run.hasTools ? await toolServer(journal) : []),
    ...(run.gateway ? [new URL(run.gateway.url).host] : []),
  ];
  const { max_processes = usual.processes, max_open_files = usual.openFiles } = resources;
  const shown = [journal, ...(plan.worktree === undefined ? [] : readableOf(journal, plan.worktree))];
  const program = walledProgram({
    wall: found.wall,
    walls: usualWalls(
      { folder: workFolder, scratch: "" },
      { hidden: privatePaths(journal, { attachments: true }), shown },
    ),
    own: join(folder, "wall"),
    limits: { processes: max_processes, openFiles: max_open_files, fileBytes },
    network,
    keys: keysOf(journal, plan.wall.network),
    command: command.command,
    env: {
      ...insideEnvironment(plainEnvironment(process.env), network),
      ...runEnvironment({}, plan.backend, plan.env, run.gateway),
    },
  });
  const { tasks } = command.limits;
  const limits = { ...command.limits, tasks: tasks === undefined ? undefined : tasks + wallTasks };
  return { ...command, ...program, limits };
}

/** @throws ConfigError for a key that isn't there */
function keysOf(journal: string, network: readonly string[]) {
  try {
    return sandboxKeys(journal, process.env, network);
  } catch (error) {
    throw error instanceof ChannelSecretError ? new ConfigError(error.message) : error;
  }
}

/** The address of the tool server, which is given to the run: it finds it there. */
async function toolServer(journal: string): Promise<string[]> {
  const { url } = (await readProgramRecord(journal, "mcp-tools")) ?? {};
  return url === undefined ? [] : [new URL(url).host];
}
