/** The problems of the machine, each with the command that fixes it or says more. Reads files and asks the system. */
import { defaultMinFreeBytes, freeBytes } from "../../../files/free-space.ts";
import { settingsProblem } from "../../../journal/config/kept-settings.ts";
import { shownStoreProblem, shownWorkspaceProblem } from "../../../journal/programs/status-files.ts";
import { readToolCatalog, toolProblems } from "../../../journal/programs/tool-catalog.ts";
import { listQuarantine } from "../../../journal/quarantine/quarantine.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { HealthProblem } from "../records/machine-records.ts";
import type { ProgramsNow } from "./programs-now.ts";
import { storeWarning } from "./store-warning.ts";
import { workspaceWarning } from "./workspace-warning.ts";

const mebibyte = 1024 * 1024;
/** Problems of one kind that are told at most; the command tells all. */
const mostTold = 3;

type Deps = Pick<MachineBase, "journal" | "bus" | "settings">;

/** The gravest first. */
export async function problemsOf(deps: Deps, programs: ProgramsNow): Promise<HealthProblem[]> {
  const sources = toolProblems(await readToolCatalog(deps.journal));
  return [
    ...ofPrograms(programs),
    ...ofBus(deps),
    ...ofDisk(deps),
    ...ofSettings(deps),
    ...ofWorkspaces(deps, programs),
    ...ofQuarantine(deps),
    ...sources.slice(0, mostTold).map((reason) => ofWhole("failed", reason, "cortex tools list")),
    ...ofStore(deps, programs),
  ];
}

/** Works, but not as it might: told where somebody asks how the machine is, and not put before everybody. */
export const isWarning = ({ state }: HealthProblem): boolean => state === "warning";

const ofWhole = (state: string, reason: string, command: string | null): HealthProblem => ({
  program: null,
  state,
  reason,
  command,
});

/** A program that is being started isn't down; one that isn't wanted neither. */
const troubled: ReadonlySet<string> = new Set(["failed", "backing_off"]);

function ofPrograms({ isWatched, programs }: ProgramsNow): HealthProblem[] {
  const alone = "Nobody watches the programs: one that ends isn't started again";
  return [
    ...(isWatched ? [] : [ofWhole("unsupervised", alone, "cortex up")]),
    ...programs
      .filter(({ state }) => troubled.has(state))
      .map(({ name, state, reason }) => ({
        program: name,
        state,
        reason: reason ?? "it ends as soon as it is started",
        command: `cortex logs ${name}`,
      })),
  ];
}

function ofBus({ bus }: Deps): HealthProblem[] {
  return bus.isConnected ? [] : [ofWhole("bus", "The bus doesn't answer", "cortex doctor")];
}

function ofDisk({ journal, settings }: Deps): HealthProblem[] {
  const { min_free_bytes: least = defaultMinFreeBytes } = settings();
  if (freeBytes(journal) >= least) return [];
  // Without the number that changes all the time: who looks would be told each time.
  return [
    ofWhole("disk", `Less than ${Math.ceil(least / mebibyte)} MiB are free on the journal's disk: no run begins`, null),
  ];
}

function ofSettings({ journal }: Deps): HealthProblem[] {
  const problem = settingsProblem(journal);
  return problem === null
    ? []
    : [ofWhole("settings", `${problem}: keeping the previous settings`, "cortex config check")];
}

const isUp = ({ programs }: ProgramsNow, wanted: string) =>
  programs.some(({ name, pid }) => name === wanted && pid !== null);

function ofWorkspaces({ journal }: Deps, programs: ProgramsNow): HealthProblem[] {
  const warning = isUp(programs, "channel-web") ? workspaceWarning(shownWorkspaceProblem(journal)) : null;
  return warning ? [ofWhole("workspaces", warning.detail, warning.remedy)] : [];
}

function ofQuarantine({ journal }: Deps): HealthProblem[] {
  const { length } = listQuarantine(journal);
  if (length === 0) return [];
  const words = length === 1 ? "1 item was put away" : `${length} items were put away`;
  return [ofWhole("quarantine", `${words} after failing three times`, "cortex quarantine list")];
}

function ofStore({ journal }: Deps, programs: ProgramsNow): HealthProblem[] {
  const warning = isUp(programs, "nats-server") ? storeWarning(shownStoreProblem(journal)) : null;
  return warning ? [ofWhole("warning", `${warning.detail} (${warning.remedy})`, "cortex doctor")] : [];
}
