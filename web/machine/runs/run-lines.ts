/** The lines of a run's file, as they go to the page: page by page, one as it stands there, and live. */
import { EventEmitter, once } from "node:events";
import { FileLinesError } from "../../../files/lines/file-lines.ts";
import { type RunLine, RunReader } from "../../../journal/runs/read-run.ts";
import { runFile, runState } from "../../../journal/runs/run-files.ts";
import { cutStrings } from "../../../protocol/json/cut-strings.ts";
import { tryParseJson } from "../../../protocol/json/parse-json.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { subjects } from "../../../protocol/runs/subjects.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { LiveRuns } from "./live-runs.ts";

/** Characters of a text in a line, and of the lines of a page, that are sent. */
const [longestText, longestPage] = [20_000, 2_000_000];
/** A line as it stands in the file is sent up to this length, in characters. */
const longestRaw = 8_000_000;
/** Milliseconds after which a file is looked at again when the bus is silent. */
const lookMs = 1000;
/** Pieces that wait to be sent: more are dropped, since the line that follows says it all. */
const mostPieces = 1000;

type ShownEvent = { event: string; ts: number; seq: number; cut?: boolean; [field: string]: unknown };

type Deps = Pick<MachineBase, "journal"> & { runs: LiveRuns };

/** @throws WorkspaceError `not_found` */
export function requireRun({ runs }: Pick<Deps, "runs">, id: string): void {
  if (runs.isThere(id)) return;
  throw new WorkspaceError("not_found", `there is no run ${id}`);
}

export async function eventsOf(
  { journal, runs }: Deps,
  id: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ items: ShownEvent[]; next: number | null; ended: boolean }> {
  requireRun({ runs }, id);
  // Asked first: what is written until it has ended is read then.
  const ended = runState(journal, id) === "ended";
  const items: ShownEvent[] = [];
  let length = 0;
  for await (const { line, event } of readable(new RunReader(journal, id).lines(after + 1))) {
    length += Math.min(line.length, longestText);
    if (items.length >= limit || (length > longestPage && items.length > 0))
      return { items, next: items.at(-1)?.seq ?? null, ended };
    items.push(shown({ line, event }));
  }
  return { items, next: null, ended };
}

/** A line, byte for byte. @throws WorkspaceError `not_found`, and `conflict` for one that is too long */
export async function rawLine(
  { journal, runs }: Deps,
  id: string,
  number: number,
): Promise<{ line: number; text: string }> {
  requireRun({ runs }, id);
  for await (const { line, event } of readable(new RunReader(journal, id).lines(number))) {
    if (event.seq !== number) break;
    if (line.length > longestRaw)
      throw new WorkspaceError(
        "conflict",
        `the line has ${line.length} characters`,
        `see: cortex runs show ${id} --raw`,
      );
    return { line: number, text: line };
  }
  throw new WorkspaceError("not_found", `run ${id} has no line ${number}`);
}

type Sent = { id?: string; event: string; data: unknown };

/**
 * Each line behind a number, and what is written to no file, until the run has ended. The bus says when there is something to
 * read; what is told is read in the file.
 */
export async function* liveLines(
  { journal, bus }: Pick<MachineBase, "journal" | "bus">,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<Sent> {
  const reader = new RunReader(journal, id);
  const pieces: ShownEvent[] = [];
  const news = new EventEmitter();
  const subscription = bus.connection.subscribe(subjects.events(id), {
    callback: (error, message) => {
      if (error) return;
      const said = tryParseJson(message.string());
      // What stands in no file has no number.
      if (isRecord(said) && said["seq"] === undefined && pieces.length < mostPieces) pieces.push(said as ShownEvent);
      news.emit("news");
    },
  });
  try {
    for (let next = after + 1; !signal.aborted; ) {
      const hasEnded = runState(journal, id) === "ended";
      const waiting = pieces.splice(0);
      let isNew = false;
      for await (const line of readable(reader.lines(next))) {
        isNew = true;
        next = line.event.seq + 1;
        yield { id: String(line.event.seq), event: "line", data: shown(line) };
      }
      for (const piece of waiting) yield { event: "piece", data: { ...cutStrings(piece, longestText), seq: 0 } };
      if (isNew || pieces.length > 0) continue;
      if (hasEnded) return yield { event: "end", data: { id } };
      await heard(news, signal);
    }
  } finally {
    subscription.unsubscribe();
  }
}

async function heard(news: EventEmitter, signal: AbortSignal): Promise<void> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(lookMs)]);
  await once(news, "news", { signal: until }).catch(() => {});
}

/** A file that can't be read has no lines: the run's row says why. */
async function* readable(lines: AsyncIterable<RunLine>): AsyncGenerator<RunLine> {
  try {
    yield* lines;
  } catch (error) {
    if (!(error instanceof FileLinesError)) throw error;
  }
}

/** An event as it goes to the page: what a line is chained by says nothing there. */
function shown({ line, event }: RunLine): ShownEvent {
  const { prev: _, agent_id: __, ...said } = event;
  return line.length <= longestText ? said : { ...cutStrings(said, longestText), cut: true };
}

/** Where a run's file is, relative to the journal; null: it has none. */
export function shownFile(journal: string, id: string): string | null {
  const path = runFile(journal, id);
  return path === null ? null : path.slice(journal.length + 1);
}
