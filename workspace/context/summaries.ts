/**
 * Summaries of messages, made by a run of cortex and kept by what they cover: the same messages, unedited, are summed up once.
 * The run stands in its row before it is asked for, so that whoever comes after a crash follows the same one.
 */
import { createHash } from "node:crypto";
import type { Bus } from "../../bus/connection/connect.ts";
import { publishCancel } from "../../bus/runs/control.ts";
import { type FollowedFiles, followRun } from "../../bus/runs/follow-run.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { addedSpent, nothingSpent, type Spent, spentBy } from "../../protocol/runs/spent.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { storableText } from "../database/text/storable-text.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { SummaryTable } from "../database/tables/tables.ts";
import type { Message } from "../records/thread.ts";
import { longestSummary, type SummaryModel, summaryRequest } from "./summary-request.ts";

export type SummaryDeps = {
  store: WorkspaceStore;
  bus: Bus;
  files: FollowedFiles;
  log: Logger;
  nextRunId: () => number;
  /** Whether nobody waits for it any more. */
  isUnwanted: () => boolean;
};

/** More than any summary takes, its waits for rate limits included. */
const longestRunMs = 3600_000;

const cancelAgainMs = 1000;

/** @field text null: it couldn't be made @field spent null: it was there already */
export type Summary = { text: string | null; spent: Spent | null; model: string | null };

/** Hashes what it covers: the messages, and when each was edited last. */
export function coverageOf(messages: readonly Pick<Message, "id" | "edited_at">[]): string {
  const covered = messages.map(({ id, edited_at }) => [id, edited_at]);
  return createHash("sha256").update(JSON.stringify(covered)).digest("hex");
}

/** The summary of messages of a workspace, as it is kept, or made now. */
export async function summaryOf(
  deps: SummaryDeps,
  workspaceId: string,
  messages: readonly Message[],
  { model, retrySeconds }: { model: SummaryModel; retrySeconds: number[] },
): Promise<Summary> {
  const coverage = coverageOf(messages);
  const asked = summaryRequest(deps.nextRunId(), messages, model, retrySeconds);
  const row = await rowFor(deps.store, { workspace_id: workspaceId, coverage, request: asked });
  if (row.text !== null) return { text: row.text, spent: null, model: null };
  const made = await run(deps, JSON.parse(row.request_json) as Request);
  const ofRow = deps.store.database.updateTable("context_summaries").set({ text: made.text });
  if (made.text !== null) await whereRow(ofRow, row).execute();
  // Whoever needs it next tries anew.
  else await whereRow(deps.store.database.deleteFrom("context_summaries"), row).execute();
  return made;
}

type NewRow = { workspace_id: string; coverage: string; request: Request };

/** The row of what is covered: that of whoever came first. */
async function rowFor(
  { database }: WorkspaceStore,
  { workspace_id, coverage, request }: NewRow,
): Promise<SummaryTable> {
  // A run whose end nobody has seen for so long may be gone, with its file.
  await database
    .deleteFrom("context_summaries")
    .where("coverage", "=", coverage)
    .where("text", "is", null)
    .where("created_at", "<", Date.now() - longestRunMs)
    .execute();
  const request_json = JSON.stringify(request);
  const row = { workspace_id, coverage, run_id: String(request.ts), request_json, text: null, created_at: Date.now() };
  await database
    .insertInto("context_summaries")
    .values(row)
    .onConflict((conflict) => conflict.columns(["workspace_id", "coverage"]).doNothing())
    .execute();
  const known = await database
    .selectFrom("context_summaries")
    .selectAll()
    .where("workspace_id", "=", workspace_id)
    .where("coverage", "=", coverage)
    .executeTakeFirst();
  return known ?? row;
}

/** Narrows a query to the row of the same run: another may have come in its place. */
function whereRow<
  Query extends { where: (column: "coverage" | "workspace_id" | "run_id", is: "=", value: string) => Query },
>(query: Query, { workspace_id, coverage, run_id }: SummaryTable): Query {
  return query.where("workspace_id", "=", workspace_id).where("coverage", "=", coverage).where("run_id", "=", run_id);
}

async function run({ bus, files, log, isUnwanted }: SummaryDeps, request: Request): Promise<Summary> {
  let spent = nothingSpent;
  let model: string | null = null;
  let said = "";
  const onEvent = async (event: AgentEvent) => {
    const added = spentBy(event, spent);
    if (added) spent = addedSpent(spent, added);
    if (event.event === "usage") model = textField(event, "model") || model;
    if (event.event === "text") said = textField(event, "text");
  };
  try {
    using _ = cancelWhenUnwanted(bus, String(request.ts), isUnwanted);
    const onProblem = (error: unknown) => log.warn({ run: request.ts, err: error }, "a summary waits for cortex");
    const last = await followRun({ bus, files, request, isUnwanted, onProblem }, onEvent);
    const isCut = last.event === "error" && last["detail"] === "cut_off";
    const text = (last.event === "finish" ? textField(last, "result") : isCut ? said : "")
      .trim()
      .slice(0, longestSummary);
    if (text === "") log.warn({ run: request.ts, error: textField(last, "error") }, "a summary couldn't be made");
    return { text: text === "" ? null : storableText(text), spent, model };
  } catch (error) {
    log.warn({ run: request.ts, error: messageOf(error) }, "a summary couldn't be made");
    return { text: null, spent, model };
  }
}

/** Cortex may be away when it is told to end a run: it is told until it has. */
function cancelWhenUnwanted(bus: Bus, runId: string, isUnwanted: () => boolean): Disposable {
  const timer = setInterval(() => void (isUnwanted() && bus.isConnected && publishCancel(bus, runId)), cancelAgainMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
