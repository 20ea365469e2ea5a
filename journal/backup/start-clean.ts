/**
 * Makes a journal of a copied folder. What its original had accepted is done there, and nowhere else: runs in progress are
 * ended in the copy, waiting messages are dropped, and `.state` is put aside.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { activeFiles } from "../runs/active-runs.ts";
import { listAgents, readState, writeState } from "../agents/agent-files.ts";
import { AgentInbox } from "../agents/agent-inbox.ts";
import { endRun } from "../ended-runs/end-run.ts";
import { markLike, markName, markOwn, standingOf } from "../config/folder-mark.ts";
import { lockName } from "../access/lock.ts";
import { runtime, state } from "../config/paths.ts";

/**
 * The parts of `.state` that are facts rather than work: who the owners are, how runs ended, what they saved, the last
 * good settings.
 */
export const factFiles: readonly string[] = ["owners.json", "heads.jsonl", "saves", "settings.json"];

/** Tests for the files that name the owner of `.run`: they go last. */
const isLast = (name: string) => name.startsWith(lockName) || name === markName;

export type CopiedJournal = {
  /** Where the original was. */
  from: string;
  /** Where its `.state` was put; null: there was none, or it is gone on with. */
  aside: string | null;
};

/**
 * Whether the journal is a copy that hasn't been made one of its own. Its `.state` is put aside. For whoever holds the
 * journal, before its store is locked.
 * @param goesOn the folder was moved, and the original is no more: what that had accepted is gone on with
 */
export function setStateAside(journal: string, goesOn: boolean): CopiedJournal | null {
  const [run, lasting] = [runtime(journal), state(journal)];
  const [ofRun, ofState] = [standingOf(journal, run), standingOf(journal, lasting)];
  const copied = [ofState, ofRun].find((standing) => standing.state === "copied");
  if (copied?.state !== "copied") return null;
  // From here on `.run` alone says it, until all is done: a crash before that changes nothing.
  if (ofRun.state !== "copied") markLike(run, lasting);
  const hasWork = ofState.state !== "own" && readdirSync(lasting).length > 0;
  return { from: copied.from, aside: goesOn || !hasWork ? null : putAside(journal) };
}

/**
 * Makes it one of its own: the rest of what {@link setStateAside} begins. Of one that was no copy only the mark is made.
 * Returns how many runs and messages of the original aren't gone on with.
 */
export async function makeOwn(journal: string, goesOn: boolean): Promise<{ runs: number; messages: number }> {
  let left = { runs: 0, messages: 0 };
  const standing = standingOf(journal, runtime(journal));
  if (standing.state === "copied") {
    const why = `this journal is a copy, made while the run was in progress: it goes on in the original, ${standing.from}`;
    if (!goesOn) left = await dropAccepted(journal, why);
    for (const name of readdirSync(runtime(journal)).filter((one) => !isLast(one)))
      rmSync(runtime(journal, name), { recursive: true, force: true });
  }
  markOwn(journal, state(journal));
  markOwn(journal, runtime(journal));
  return left;
}

/**
 * Ends the runs in progress, with this reason, and drops what waits to be answered by agents. For a journal in which nothing
 * runs. Returns how many they were.
 */
export async function dropAccepted(journal: string, error: string): Promise<{ runs: number; messages: number }> {
  const ids = activeFiles(journal);
  for (const agentId of ids) await endRun(journal, agentId, { event: "error", reason: "interrupted", error });
  let messages = 0;
  for (const id of listAgents(journal)) messages += await emptyAgent(journal, id);
  return { runs: ids.length, messages };
}

function putAside(journal: string): string {
  const aside = join(journal, `.state.copied-${new Date().toISOString().replaceAll(/[-:.]/g, "")}`);
  renameSync(state(journal), aside);
  mkdirSync(state(journal), { mode: 0o700 });
  for (const name of factFiles)
    if (existsSync(join(aside, name))) cpSync(join(aside, name), state(journal, name), { recursive: true });
  return aside;
}

/** Drops what waits to be answered, and the turn that answers it. Returns how many messages that were. */
async function emptyAgent(journal: string, id: string): Promise<number> {
  try {
    using inbox = new AgentInbox(journal, id);
    const waiting = inbox.waiting.filter(({ silent }) => !silent);
    const before = readState(journal, id);
    const { task, lifecycle } = before;
    const ended = task && { lifecycle: "ended" as const, task: { ...task, state: "failed" as const, owed: undefined } };
    await writeState(journal, id, { ...before, ...(lifecycle === "active" && ended), turn: null });
    await inbox.settleItems(waiting.map((item) => item.id));
    return waiting.length;
  } catch {
    return 0; // it can't be read, and so does nothing: the agents' program says it
  }
}
