/** Stored files go with the runs that named them: one that nothing has used for so long, and that nothing names. */
import { removeUnused, unusedSince } from "../../files/attachment-use.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { attachmentsFolder } from "../attachments/take-attachments.ts";
import { dropNamed } from "./named-attachments.ts";

/** As many are judged at once: some 10 MB of ids. */
const mostJudged = 100_000;

export type SweepOptions = {
  /** In ms: what was used since stays, whether or not anything names it. */
  since: number;
  /** Runs that count as deleted. */
  isGone: (agentId: string) => boolean;
  dryRun?: boolean | undefined;
  signal?: AbortSignal | undefined;
};

export type SweepReport = {
  deleted: { id: string; freed_bytes: number | null }[];
  /** Why not all could be judged. */
  error?: string;
};

/** Safe to repeat after a crash at any point. */
export async function sweepAttachments(journal: string, options: SweepOptions): Promise<SweepReport> {
  const folder = attachmentsFolder(journal);
  const report: SweepReport = { deleted: [] };
  const ids = new Set<string>();
  for await (const id of unusedSince(folder, options.since)) {
    ids.add(id);
    if (ids.size === mostJudged) await judge(journal, ids, options, report);
    if (options.signal?.aborted || report.error !== undefined) return report;
  }
  await judge(journal, ids, options, report);
  return report;
}

/** Removes those that nothing names. Leaves none of the ids. */
async function judge(journal: string, ids: Set<string>, options: SweepOptions, report: SweepReport): Promise<void> {
  const { since, isGone, dryRun, signal } = options;
  try {
    if (ids.size > 0) await dropNamed(journal, ids, isGone, signal);
    for (const id of ids) {
      if (signal?.aborted) break;
      const freed = dryRun ? null : await removeUnused(attachmentsFolder(journal), id, since);
      if (dryRun || freed !== null) report.deleted.push({ id, freed_bytes: freed });
    }
  } catch (error) {
    if (!signal?.aborted) report.error = messageOf(error);
  }
  ids.clear();
}
