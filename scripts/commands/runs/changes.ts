/** `cortex changes`: what runs have changed in worktrees of your folders, to look at, to apply or to drop. */
import { readFileSync } from "node:fs";
import { applyChanges, ChangesError, dropChanges } from "../../../changes/apply-changes.ts";
import { listChanges, worktreePaths, type WorktreeRecord } from "../../../journal/worktrees/worktree-record.ts";
import { cleaned } from "../../../proc/logging/terminal.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import type { ChangedFile } from "../../../protocol/events/changed-file.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { answered } from "../../../web/client/workspace-client.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { explained, openLink } from "../../workspace/lookup/workspace-link.ts";

const help = `
Usage: cortex changes list [--json]
       cortex changes show [ID] [--json]
       cortex changes apply [ID] [--json]
       cortex changes drop [ID] [--json]
       cortex changes comment ID [PATH[:LINE]] TEXT [--json]

Shows the changes of runs with "worktree", and applies or drops them. Such a run works on its own copy of your folder;
the folder stays as it is until you apply the changes.

  list    all changes, with their state: open, applied, dropped, or conflict
  show    the changed files, and the patch
  apply   change the files of your folder, and commit nothing. All of them or none: where one was changed meanwhile, its
          name is shown and nothing is done
  drop    delete the changes, and remove their branch
  comment say something about them to who made them: the run, or the agent, goes on with it

An ID is that of the run, or of the agent; its beginning or its end is enough. Without an ID: the open
changes, if only one run has some.
`;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex changes", 4);
    const [action = "list", id, ...words] = positionals;
    const known = ["list", "show", "apply", "drop", "comment"];
    if (!known.includes(action)) throw unknownName("action", action, known, "cortex changes");
    if (action !== "comment" && words.length > 0)
      throw usageError(`unexpected "${words.join(" ")}"`, "see: cortex changes --help");
    const { journalPath } = readEnvironment();
    const all = listChanges(journalPath);
    if (action === "list") {
      if (id !== undefined) throw usageError(`unexpected "${id}"`, `that one: cortex changes show ${id}`);
      return printLine(values.json ? JSON.stringify({ changes: all.map(documentOf) }) : table(all));
    }
    const record = findChanges(all, id);
    if (action === "comment") return comment(record, words, values.json ?? false);
    if (action === "show")
      return printLine(values.json ? JSON.stringify(shown(journalPath, record)) : text(journalPath, record));
    const done = await carriedOut(record, () =>
      (action === "apply" ? applyChanges : dropChanges)(journalPath, record.id),
    );
    if (values.json) return printLine(JSON.stringify(documentOf(done)));
    if (action === "drop") return printLine(`dropped: the branch ${done.branch} is gone`);
    return printLine(`applied to ${cleaned(done.folder)}, not committed:\n${fileLines(done.files)}`);
  },
};

/** `notes.md:3` is a line of a file. */
function placeOf(place: string | undefined): { path?: string; line?: number } {
  if (place === undefined) return {};
  const at = place.lastIndexOf(":");
  const line = place.slice(at + 1);
  return at > 0 && /^\d{1,9}$/.test(line) ? { path: place.slice(0, at), line: Number(line) } : { path: place };
}

/** By the web program: who made them may be at work, or asleep. */
async function comment({ id }: WorktreeRecord, words: string[], json: boolean): Promise<number> {
  const [text, place] = words.toReversed();
  if (text === undefined)
    throw usageError("there is nothing to tell", 'for example: cortex changes comment ID notes.md:3 "say why"');
  const body = { text, ...placeOf(place) };
  const { client } = openLink(readEnvironment());
  const sent = await explained(() =>
    answered(client.POST("/api/v1/changes/{id}/comments", { params: { path: { id } }, body })),
  );
  if (json) return printLine(JSON.stringify(sent));
  return printLine(sent.run === null ? `sent to the agent ${sent.companion}` : `run ${sent.run} goes on with it`);
}

function printLine(line: string): number {
  process.stdout.write(`${line}\n`);
  return exitCodes.done;
}

async function carriedOut(record: WorktreeRecord, work: () => Promise<WorktreeRecord>): Promise<WorktreeRecord> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ChangesError)) throw error;
    const { branch, folder, is_published: isPublished } = record;
    const isConflict = error.conflicts.length > 0;
    const merge = isPublished ? `, or merge it yourself: git -C ${folder} merge ${branch}` : "";
    const hint = isConflict ? `put those files back and apply again${merge}` : "see: cortex changes list";
    throw new CommandError(isConflict ? "conflict" : "state", error.message, hint, exitCodes.failed, { cause: error });
  }
}

function findChanges(all: readonly WorktreeRecord[], given: string | undefined): WorktreeRecord {
  const isWaiting = ({ state }: WorktreeRecord) => state === "open" || state === "conflict";
  const found =
    given === undefined
      ? all.filter(isWaiting)
      : all.filter((one) => [one.id, one.agent_id].some((id) => id.startsWith(given) || id.endsWith(given)));
  const [only, ...others] = found;
  const list = "see: cortex changes list";
  if (given === "") throw usageError("no id was given", list);
  if (only === undefined && given === undefined) throw usageError("no changes are open", list);
  if (only === undefined) throw usageError(`no changes of a run ${cleaned(given ?? "")}`, list);
  if (others.length === 0) return only;
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw usageError(`which changes? ${found.length} fit: ${ids.join(", ")}`, "give more of the id");
}

const documentOf = ({ agent_id, folder, branch, base, state, files }: WorktreeRecord) => ({
  agent_id,
  folder,
  branch,
  base,
  files,
  state,
});

function shown(journal: string, record: WorktreeRecord) {
  const { patchInJournal } = worktreePaths(journal, record.id);
  return {
    ...documentOf(record),
    left_out: record.left_out,
    patch: record.state === "dropped" ? null : patchInJournal,
  };
}

function table(all: readonly WorktreeRecord[]): string {
  if (all.length === 0) return "no run has changed anything in a worktree";
  const cells = all.map(({ agent_id, state, files, folder, branch }) => [
    agent_id,
    state,
    String(files.length),
    `+${sum(files, "added")} -${sum(files, "removed")}`,
    branch,
    cleaned(folder),
  ]);
  return columns([["RUN", "STATE", "FILES", "LINES", "BRANCH", "FOLDER"], ...cells]);
}

const sum = (files: readonly ChangedFile[], field: "added" | "removed") =>
  files.reduce((total, file) => total + file[field], 0);

function text(journal: string, record: WorktreeRecord): string {
  const { agent_id, state, folder, branch, base, files, left_out } = record;
  const head = [
    `run     ${agent_id}`,
    `state   ${state}`,
    `folder  ${cleaned(folder)}`,
    `branch  ${branch}, from ${base.slice(0, 12)}`,
    ...(left_out.length > 0
      ? [`left    ${cleaned(left_out.join(", "))} (repositories, too large, or can't be read)`]
      : []),
    fileLines(files),
  ];
  return state === "dropped" ? head.join("\n") : `${head.join("\n")}\n\n${patchOf(journal, record)}`;
}

function patchOf(journal: string, { id }: WorktreeRecord): string {
  try {
    return readFileSync(worktreePaths(journal, id).patch, "utf8").trimEnd();
  } catch {
    return "the patch isn't there any more";
  }
}

function fileLines(files: readonly ChangedFile[]): string {
  return columns(
    files.map(({ path, from, status, added, removed, binary }) => [
      `  ${status}`,
      binary ? "binary" : `+${added} -${removed}`,
      cleaned(from === undefined ? path : `${from} -> ${path}`),
    ]),
  );
}
