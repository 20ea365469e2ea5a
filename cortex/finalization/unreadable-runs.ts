/**
 * Puts away the file of a run that can't be handled, at the third failure. The run is ended in its stead: what the bus has
 * of it becomes its file again, and its terminal event says why. So neither it nor those who wait for it hang, and no start
 * meets it again.
 */
import { hasCode } from "../../files/errors/errno.ts";
import { FileLinesError } from "../../files/lines/file-lines.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import { parseEventLine } from "../../journal/chain/event-line.ts";
import { activeFile, runFile } from "../../journal/runs/run-files.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { tokensOf } from "../plan/run-record.ts";
import type { Ports } from "../ports/ports.ts";
import { RunWriter } from "../output/run-writer.ts";

export type UnreadableDeps = Pick<Ports, "clock" | "files" | "processes" | "requests" | "publisher"> & {
  journal: string;
  log: Logger;
};

export class UnreadableRuns {
  readonly #deps: UnreadableDeps;
  #opened: Quarantine | null = null;

  constructor(deps: UnreadableDeps) {
    this.#deps = deps;
  }

  /** Opened when a file is missing or fails, which is seldom. */
  get #quarantine(): Quarantine {
    return (this.#opened ??= new Quarantine(this.#deps.journal, "run-file"));
  }

  /** Whether a run's file was put away, and nothing stands in its place yet. */
  isMissing(agentId: string): boolean {
    return this.#deps.files.state(agentId) === "absent" && this.#quarantine.has(agentId);
  }

  /** Counts a failure that is the file's own. Resolves with whether the file was put away: then the run is to be ended. */
  async failed(agentId: string, error: unknown): Promise<boolean> {
    if (!isOfFile(error)) return false;
    const { journal, files, log } = this.#deps;
    const path = runFile(journal, agentId) ?? activeFile(journal, agentId);
    if ((await this.#quarantine.failed(agentId, error, { moveFile: path })) === "retry") return false;
    log.error({ agent_id: agentId, path, err: error }, "the file of a run can't be handled: it is put away");
    return files.state(agentId) === "absent";
  }

  /** Ends a run whose file was put away: safe to repeat. @throws Error when the bus doesn't answer */
  async end(agentId: string): Promise<void> {
    const { files, processes, requests } = this.#deps;
    const record = files.record(agentId);
    if (record) {
      const folder = processes.folder(agentId, record.attempt);
      processes.signal(folder, "SIGKILL");
      await processes.sweep(folder);
      for (const token of tokensOf(record)) await files.revokeToken(token);
    }
    const lines: string[] = [];
    let isOver = false;
    const file = files.claim(agentId);
    if (!file) return;
    for await (const line of requests.lines(agentId)) {
      const event = parseEventLine(line);
      isOver ||= event !== null && isTerminal(event);
      lines.push(line);
      if (lines.length >= batchLines) await file.append(lines.splice(0));
    }
    if (lines.length > 0) await file.append(lines);
    const writer = new RunWriter(file, this.#deps, true);
    const error = "its file can't be read any more, and was put away: see cortex doctor. What stands here the bus had";
    if (!isOver) await writer.write([{ event: "error", error, reason: "internal" }]);
    await writer.close();
  }
}

/** How many lines are written together. */
const batchLines = 256;

/** The error codes that concern a file itself, whatever is wrong with the disk. */
const codesOfFile = ["EISDIR", "ENOTDIR", "EACCES", "EPERM", "EIO", "ELOOP", "EINVAL"];

function isOfFile(error: unknown): boolean {
  if (error instanceof FileLinesError) return true;
  return error instanceof Error && "path" in error && hasCode(error, ...codesOfFile);
}
