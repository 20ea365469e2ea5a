/** `cortex status`: what runs at this moment. Reads files and asks the system; needs no bus. */
import { copyNote } from "../../../journal/config/folder-mark.ts";
import {
  type ShownRun,
  shownStatus,
  shownStoreProblem,
  shownWorkspaceProblem,
} from "../../../journal/programs/status-files.ts";
import { sandboxLevelFile } from "../../../journal/programs/sandbox-level-file.ts";
import { settingsProblem } from "../../../journal/config/kept-settings.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { isAlive } from "../../../proc/processes/identity.ts";
import { type ProgramNow, programsNow } from "../../../web/machine/health/programs-now.ts";
import { storeWarning } from "../../../web/machine/health/store-warning.ts";
import { workspaceWarning } from "../../../web/machine/health/workspace-warning.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, noBusError, parseCommandLine } from "../../command/command.ts";
import { columns } from "../../command/layout/columns.ts";
import { duration, shorten } from "../../command/layout/text.ts";
import { asTyped } from "../../command/typed-command.ts";

const help = `
Usage: cortex status [--json]

Shows the programs, the runs in progress with the tool that each uses, the number of waiting runs, and how many may run
at once.
`;

export const command: Command = {
  help,
  run: async (args) => {
    const { values } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex status", 0);
    const { journalPath } = readEnvironment();
    const status = await statusOf(journalPath);
    process.stdout.write(values.json ? `${JSON.stringify(status)}\n` : `${show(status)}\n`);
    return exitCodes.done;
  },
};

/** @throws CommandError when nobody watches, and nothing of it lives */
async function statusOf(journal: string) {
  const { isWatched, programs: found } = programsNow(journal);
  const programs = found.map(typable);
  if (!isWatched && !programs.some(({ pid }) => pid !== null))
    throw noBusError(`nothing runs on ${journal}${copyNote(journal)}`);
  const live = shownStatus(journal);
  const isCortexAlive = programs.some(({ name, pid }) => name === "cortex" && pid !== null);
  const running = live?.running ?? [];
  const runs = running.length > 0 ? await runsNow(journal, running, isCortexAlive) : [];
  const workers = live?.workers ?? [];
  const warnings = warningsOf(journal, programs);
  const { keptSandbox } = await import("../../../sandbox/kept-level.ts");
  const sandbox = await keptSandbox(sandboxLevelFile(journal));
  return { programs, runs, workers, queued: live?.waiting ?? 0, capacity: live?.capacity ?? 0, sandbox, warnings };
}

/** Reads what each run is at from its files, by what knows them: imported when there is one. */
async function runsNow(journal: string, running: ShownRun[], isCortexAlive: boolean) {
  const [{ attemptFolder }, { toolUnderWay }, { agentOf }] = await Promise.all([
    import("../../../journal/run-folders/run-folder.ts"),
    import("../../../journal/runs/tool-under-way.ts"),
    import("../../../proc/runs/run.ts"),
  ]);
  return running.flatMap(({ agent_id, persona, backend, state, attempt, since }) => {
    const agent = agentOf(attemptFolder(journal, agent_id, attempt));
    const pid = agent && isAlive(agent) ? agent.pid : null;
    // What cortex last wrote down holds as long as it lives; without it, a run is what still has a process.
    if (!isCortexAlive && pid === null) return [];
    const elapsed_seconds = Math.round((Date.now() - since) / 100) / 10;
    return [{ agent_id, persona, backend, state, pid, elapsed_seconds, tool: toolUnderWay(journal, agent_id) }];
  });
}

/** Lists what works, but not as it was meant to. */
function warningsOf(journal: string, programs: { name: string; pid: number | null }[]): string[] {
  const isUp = (wanted: string) => programs.some(({ name, pid }) => name === wanted && pid !== null);
  const store = isUp("nats-server") ? storeWarning(shownStoreProblem(journal)) : null;
  const workspace = isUp("channel-web") ? workspaceWarning(shownWorkspaceProblem(journal)) : null;
  const problem = settingsProblem(journal);
  return [
    ...(problem === null ? [] : [`${problem}: keeping the previous settings (${asTyped("cortex config check")})`]),
    ...[store, workspace].flatMap((one) => (one ? [`${one.detail} (${asTyped(one.remedy)})`] : [])),
  ];
}

/** Writes the commands of its reason so that they can be typed here. */
function typable({ reason, ...program }: ProgramNow): ProgramNow {
  return { ...program, reason: program.state === "unsupervised" && reason !== null ? asTyped(reason) : reason };
}

function show({
  programs,
  runs,
  workers,
  queued,
  capacity,
  sandbox,
  warnings,
}: Awaited<ReturnType<typeof statusOf>>): string {
  const programRows = programs.map(({ name, state, pid, restarts, since, reason }) => [
    name,
    state,
    String(pid ?? "-"),
    `${restarts} restarts`,
    `since ${since}`,
    reason ?? "",
  ]);
  const runRows = runs.map(({ agent_id, persona, backend, state, elapsed_seconds, tool }) => [
    agent_id,
    shorten(persona, 24),
    backend,
    state,
    duration(elapsed_seconds * 1000),
    tool ?? "",
  ]);
  const workerRows = workers.map(({ worker, labels, capacity: most }) => [
    worker,
    `at most ${most}`,
    labels.join(", "),
  ]);
  const summary = `${runs.length} of ${capacity} running, ${queued} waiting; sandbox: ${sandbox.level}${sandbox.remedy === undefined ? "" : ` (${sandbox.remedy})`}`;
  const tables = [runRows, workerRows].filter((rows) => rows.length > 0).map((rows) => columns(rows));
  return [columns(programRows), "", summary, ...tables, ...warnings.map((warning) => `! ${warning}`)].join("\n");
}
