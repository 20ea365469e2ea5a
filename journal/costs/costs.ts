/**
 * The usage of all runs. Files that were read once are remembered under `.run/costs/`, a document for each folder of
 * runs; what changed since, or isn't there any more, is told by the files' names, sizes and times.
 */
import { type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { hasCode } from "../../files/errors/errno.ts";
import { activeRuns, runDays } from "../runs/active-runs.ts";
import { type RunFile, runFilesOf } from "../runs/list-runs.ts";
import { mirroredRuns } from "../runs/mirrored-run.ts";
import { runtime } from "../config/paths.ts";
import { fileLines } from "../../files/lines/file-lines.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { RunCost, RunCostSum } from "./run-cost.ts";
import { runDay, runFile, runsFolder } from "../runs/run-files.ts";

/** Where they are remembered. May be deleted at any time. */
const costsFile = (journal: string, folder: string) => runtime(journal, "costs", `${folder}.json`);

/** Times that agents give may be this much ahead of ours, and the clocks of file systems are coarse. */
const aheadMs = 120_000;

const Remembered = z.object({
  /** Higher whenever what is remembered of a file changes: an older document is read for nothing. */
  version: z.literal(3),
  files: z.record(z.string(), z.object({ stamp: z.string(), cost: RunCost })),
});
type Remembered = z.infer<typeof Remembered>["files"];

/**
 * Reads the usage of each run that may have used something since a moment; runs that used nothing are among them.
 * @param since in ms; files that nobody touched since then aren't read
 * @param onProblem hears of files that can't be read, and of what can't be remembered
 */
export async function runCosts(
  journal: string,
  since: number,
  onProblem: (path: string, error: unknown) => void,
): Promise<RunCost[]> {
  const costs: RunCost[] = [];
  for (const [folder, files] of byFolder(journal, since)) {
    const before = remembered(journal, folder);
    const now: Remembered = {};
    let isChanged = false;
    for (const { path, agentId, stats } of files) {
      const name = basename(path);
      const stamp = `${stats.size}:${stats.mtimeMs}`;
      const known = before[name];
      if (known?.stamp === stamp) now[name] = known;
      else if (stats.mtimeMs >= since - aheadMs) {
        const cost = await readCost(journal, path, agentId, onProblem);
        if (cost) now[name] = { stamp, cost };
        isChanged = true;
      }
      const entry = now[name];
      if (entry) costs.push(entry.cost);
    }
    if (isChanged || Object.keys(before).length > Object.keys(now).length)
      await replaceFile(
        costsFile(journal, folder),
        JSON.stringify({ version: 3, files: now } satisfies z.infer<typeof Remembered>),
      ).catch((error: unknown) => onProblem(costsFile(journal, folder), error));
  }
  return costs;
}

type StatedFile = RunFile & { stats: Stats };

/** The files of each folder that has seen a change since then, or has a run in progress. No others are listed. */
function* byFolder(journal: string, since: number): Generator<[string, StatedFile[]]> {
  const inProgress = new Set([...activeRuns(journal), ...mirroredRuns(journal)].map(runDay));
  for (const day of runDays(journal).toReversed()) {
    const folder = join(runsFolder(journal), day);
    // A run that ends changes its folder.
    const isTouched = (statsOf(folder)?.mtimeMs ?? 0) >= since - aheadMs;
    if (isTouched || inProgress.has(day)) yield [day, statedFiles(journal, folder)];
  }
}

/** A run that ends while its folder is looked through has its other name. */
function statedFiles(journal: string, folder: string): StatedFile[] {
  return [...runFilesOf(folder)].flatMap((file) => {
    for (const path of [file.path, runFile(journal, file.agentId)]) {
      const stats = path === null ? undefined : statsOf(path);
      if (path !== null && stats) return [{ ...file, path, stats }];
    }
    return [];
  });
}

async function readCost(
  journal: string,
  path: string,
  agentId: string,
  onProblem: (path: string, error: unknown) => void,
): Promise<RunCost | null> {
  const sum = new RunCostSum(agentId);
  try {
    for await (const { bytes } of fileLines(path)) {
      if (!telling.some((word) => bytes.includes(word))) continue;
      const event = parseEventLine(bytes.toString("utf8"));
      if (event) sum.add(event);
    }
    return sum.cost;
  } catch (error) {
    if (!hasCode(error, "ENOENT")) onProblem(path, error);
    else {
      // It has ended meanwhile, or was compressed; or it is pruned.
      const renamed = runFile(journal, agentId);
      if (renamed !== null && renamed !== path) return readCost(journal, renamed, agentId, onProblem);
    }
    return null;
  }
}

/** Only lines with one of these can tell anything of costs; most have none, and needn't be parsed. */
const telling = ['"request"', '"start"', '"usage"'].map((word) => Buffer.from(word));

function remembered(journal: string, folder: string): Remembered {
  // None, or one of another version: the files are the truth.
  return readDocument(costsFile(journal, folder), Remembered)?.files ?? {};
}

function statsOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}
