/** `cortex import`: an agent of another program becomes one of ours. */
import { lstatSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../../../files/errors/error-message.ts";
import { readSettings } from "../../../journal/config/settings.ts";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { builtInFolder } from "../../../personas/load.ts";
import { type Environment, readEnvironment } from "../../../proc/programs/environment.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { namePattern } from "../../../protocol/names/names.ts";
import type { Settings } from "../../../protocol/settings/settings.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { shellQuoted } from "../../command/layout/shell-quoted.ts";
import { type CarriedFile, carryOut } from "../../import/openclaw/carry-out.ts";
import type { PlannedFile } from "../../import/openclaw/import-parts.ts";
import { type ImportReport, reportText } from "../../import/openclaw/import-report.ts";
import type { PlannedAgent } from "../../import/openclaw/planned-agent.ts";
import { planImport, signs } from "../../import/openclaw/plan-import.ts";

const help = `
Usage: cortex import openclaw DIR [--name NAME] [--dry-run] [--json]
       cortex import openclaw DIR --agent [--workspace NAME] [--name NAME] [--dry-run] [--json]

Brings an agent over from OpenClaw. DIR is its workspace, such as ~/.openclaw/workspace:
  SOUL, IDENTITY, AGENTS, TOOLS, USER   the persona NAME
  MEMORY, KNOWLEDGE-MAP, config, memory the memory, below NAME/
  HEARTBEAT                             the persona NAME-heartbeat, whose schedule is off until you turn it on
  skills                                skills; of each the instructions alone
With --agent: SOUL, IDENTITY, AGENTS, TOOLS and the core memories become an agent of a workspace, KNOWLEDGE-MAP its page
where that is empty; USER and HEARTBEAT go to the memory, since members read an agent's prompt. cortex must be running.

Nothing in DIR is changed, and nothing that the journal has. What stands in the way is named, and so is whatever could
not be carried over. It can be run again: what was carried over before is left alone.

  --name NAME   the persona's name. Default: the name in IDENTITY.md. main: the agent that owners talk to
  --agent       an agent of a workspace (the oldest, or --workspace NAME) instead of a persona
  --dry-run     show the same report and write nothing

Exit codes: 0 done, 1 something stands in the way of a part, 2 usage, 3 refused, 69 nothing runs here (--agent).
`;

/** A persona of this name is added to its name: it has to fit too. */
const heartbeatEnding = "-heartbeat";

export const command: Command = {
  help,
  run: async (args) => {
    const flag = { type: "boolean" } as const;
    const text = { type: "string" } as const;
    const options = { json: flag, agent: flag, "dry-run": flag, name: text, workspace: text } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex import", 2);
    const [what, folder] = positionals;
    if (what !== "openclaw") throw unknownName("source", what, ["openclaw"], "cortex import");
    const from = workspaceFolder(folder);
    const { name, workspace, agent: asAgent = false } = values;
    if (workspace !== undefined && !asAgent)
      throw usageError("--workspace goes with --agent", "see: cortex import --help");
    if (name !== undefined && !namePattern.test(name + heartbeatEnding))
      throw usageError(`--name "${name}" is not a name for a persona`, "for example: --name max");
    const env = readEnvironment();
    const { journalPath } = env;
    requireSettings(journalPath);
    const plan = await planImport(from, { name, asAgent });
    const isDryRun = values["dry-run"] ?? false;
    // Asked first: where no workspace can be reached, nothing is written.
    const inWorkspace = plan.agent ? await intoWorkspace(env, workspace, plan.agent, isDryRun) : [];
    if (!isDryRun) makePrivateFolders(journalPath);
    const inJournal = await carryOut(journalPath, plan.files, {
      isDryRun,
      scheduled: plan.scheduled,
      takenBy: (file) => takenBy(file, name),
    });
    const files = [...inWorkspace, ...inJournal];
    const hasConflict = files.some(({ state }) => state === "conflict");
    const report: ImportReport = {
      ok: !hasConflict,
      dry_run: isDryRun,
      from,
      command: [
        "cortex import openclaw",
        shellQuoted(from),
        ...(asAgent ? ["--agent"] : []),
        ...(workspace === undefined ? [] : ["--workspace", shellQuoted(workspace)]),
        "--name",
        plan.name,
      ].join(" "),
      persona: asAgent ? null : plan.name,
      schedule:
        plan.scheduled === null
          ? null
          : { persona: plan.scheduled, on: requireSettings(journalPath).schedules?.[plan.scheduled] ?? false },
      files,
      left_out: plan.leftOut,
      notes: plan.notes,
    };
    process.stdout.write(`${values.json ? JSON.stringify(report) : reportText(report)}\n`);
    return hasConflict ? exitCodes.failed : exitCodes.done;
  },
};

async function intoWorkspace(
  env: Environment,
  workspace: string | undefined,
  agent: PlannedAgent,
  isDryRun: boolean,
): Promise<CarriedFile[]> {
  const { chosenWorkspace, explained, openLink } = await import("../../workspace/lookup/workspace-link.ts");
  const { carryIntoWorkspace } = await import("../../import/openclaw/into-workspace.ts");
  const link = openLink(env);
  return explained(async () => {
    const { id } = await chosenWorkspace(link, workspace);
    return carryIntoWorkspace(link, id, agent, isDryRun);
  });
}

/** @throws CommandError for what is no OpenClaw workspace, with the one that was meant */
function workspaceFolder(given: string | undefined): string {
  if (given === undefined)
    throw usageError("DIR is missing", "for example: cortex import openclaw ~/.openclaw/workspace");
  const folder = resolve(given);
  if (!lstatSync(folder, { throwIfNoEntry: false })) throw usageError(`${folder} is not there`, "name a folder");
  const has = (path: string) => lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined;
  if (signs.some(has)) return folder;
  const hint = has("workspace")
    ? `perhaps: cortex import openclaw ${join(given, "workspace")}`
    : "an agent's folder is named in agents.defaults.workspace of OpenClaw's settings";
  throw usageError(`${folder} is not an OpenClaw workspace: it has none of ${signs.join(", ")}`, hint);
}

/** Explains why a file isn't written: one that comes with cortex is replaced only where that was asked for. */
function takenBy({ what, to }: PlannedFile, name: string | undefined): string | null {
  const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  if (what === "persona" && name !== "main" && isThere(join(builtInFolder(), to.slice("personas/".length))))
    return "a persona of this name comes with cortex: choose another one with --name";
  if (what === "skill" && isThere(packageFile(to))) return "a skill of this name comes with cortex";
  return null;
}

/** Settings that can't be read can't be added to: better before the first file is written. */
function requireSettings(journal: string): Settings {
  try {
    return readSettings(journal);
  } catch (error) {
    throw new CommandError("config", messageOf(error), "fix it, then: cortex config check", exitCodes.usage, {
      cause: error,
    });
  }
}
