/** A run as a whole: its row, its request, its result, and the runs that have to do with it. */
import { RunReader } from "../../../journal/runs/read-run.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import { FileLinesError } from "../../../files/lines/file-lines.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { Run } from "../records/run-records.ts";
import { familyOf } from "./family-of.ts";
import type { LiveRuns } from "./live-runs.ts";
import { shownFile } from "./run-lines.ts";

/** Characters of a text of the request, and of the result, that are sent. */
const [longestField, longestResult] = [20_000, 100_000];

type Deps = Pick<MachineBase, "journal"> & { runs: LiveRuns };

/** @throws WorkspaceError `not_found` */
export async function getRun({ journal, runs }: Deps, id: string): Promise<Run> {
  const row = await runs.get(id);
  if (!row) throw new WorkspaceError("not_found", `there is no run ${id}`);
  const read = await readFile(journal, id);
  return { ...row, ...read, file: shownFile(journal, id), ...(await familyOf(runs, row)) };
}

/** Only lines with one of these tell what is wanted; of the others the numbers count. */
async function readFile(journal: string, id: string): Promise<Pick<Run, "request" | "result" | "lines" | "worker">> {
  const found: Pick<Run, "request" | "result" | "lines" | "worker"> = {
    request: {},
    result: null,
    lines: 0,
    worker: null,
  };
  try {
    for await (const event of new RunReader(journal, id).events()) {
      found.lines = event.seq;
      if (event.event === "request" && event.seq === 1) found.request = requestOf(event);
      if (event.event === "adopted") found.worker = String(event["worker"]);
      if (isTerminal(event) && typeof event["result"] === "string")
        found.result = event["result"].slice(0, longestResult).toWellFormed();
    }
  } catch (error) {
    if (!(error instanceof FileLinesError)) throw error;
  }
  return found;
}

function requestOf(event: Record<string, unknown>): Record<string, unknown> {
  const { event: _, ts: __, seq: ___, agent_id: ____, conversation: _____, ...request } = event;
  return cutStrings(request, longestField);
}
