/** `cortex runs prune`: does now what the settings' retention does once a day. */
import { pruneRuns as prune, type PruneReport, PruningError } from "../../journal/retention/retention.ts";
import { readSettings, SettingsError } from "../../journal/config/settings.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import type { Retention } from "../../protocol/settings/settings.ts";
import { columns } from "../command/layout/columns.ts";
import { CommandError, parseCommandLine, usageError } from "../command/command.ts";

const options = {
  json: { type: "boolean" },
  "dry-run": { type: "boolean" },
  "older-than": { type: "string" },
} as const;

export async function pruneRuns(args: string[]): Promise<number> {
  const { values, positionals } = parseCommandLine(args, options, "cortex runs");
  if (positionals.length > 0)
    throw usageError(`"${positionals[0]}": prune takes no id`, "give an age: cortex runs prune --older-than 90");
  const { journalPath } = readEnvironment();
  const retention = { ...retentionOf(journalPath) };
  if (values["older-than"] !== undefined) retention.delete_after_days = daysOf(values["older-than"]);
  if (retention.delete_after_days === undefined && retention.compress_after_days === undefined)
    throw usageError(
      "the settings have no retention",
      'give --older-than DAYS, or set it in cortex.json: "retention": {"compress_after_days": 30}',
    );
  const isDryRun = values["dry-run"] ?? false;
  const report = await pruneNow(journalPath, { ...retention, dryRun: isDryRun });
  process.stdout.write(`${values.json ? JSON.stringify(report) : asText(report, isDryRun)}\n`);
  const isDone = report.failed.length === 0 && report.attachments.error === undefined;
  return isDone ? exitCodes.done : exitCodes.failed;
}

function retentionOf(journal: string): Retention {
  try {
    return readSettings(journal).retention ?? {};
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new CommandError("config", error.message, "fix it, then: cortex config check", exitCodes.usage, {
      cause: error,
    });
  }
}

async function pruneNow(journal: string, pruneOptions: Parameters<typeof prune>[1]): Promise<PruneReport> {
  try {
    return await prune(journal, pruneOptions);
  } catch (error) {
    if (!(error instanceof PruningError)) throw error;
    throw new CommandError("busy", error.message, "try again when it is done", exitCodes.refused);
  }
}

function daysOf(text: string): number {
  const days = Number(text);
  if (Number.isInteger(days) && days >= 1) return days;
  throw usageError(`--older-than "${text}": expected a number of days from 1`, "for example: --older-than 90");
}

function asText(report: PruneReport, isDryRun: boolean): string {
  const rows = [
    ...report.compressed.map(({ agent_id }) => [agent_id, isDryRun ? "would be compressed" : "compressed"]),
    ...report.deleted.map(({ agent_id }) => [agent_id, isDryRun ? "would be deleted" : "deleted"]),
    ...report.kept.map(({ agent_id, reason }) => [agent_id, `kept: ${reason}`]),
    ...report.failed.map(({ agent_id, error }) => [agent_id, `failed: ${error}`]),
  ];
  const { deleted: files, error } = report.attachments;
  if (files.length > 0)
    rows.push([
      files.length === 1 ? "1 stored file" : `${files.length} stored files`,
      isDryRun ? "would be deleted" : "deleted",
    ]);
  if (error !== undefined) rows.push(["stored files", `kept: what names them can't be known: ${error}`]);
  if (rows.length === 0) return "nothing is old enough";
  const freed = [...report.compressed, ...report.deleted, ...files].reduce(
    (sum, one) => sum + (one.freed_bytes ?? 0),
    0,
  );
  return `${columns(rows)}\n${isDryRun ? "" : `${freed} bytes freed`}`.trimEnd();
}
