/**
 * Puts away the file of a run that can't be handled, at the third failure. The run is ended in its stead: what the bus has
 * of it becomes its file again, and its terminal event says why. So neither it nor those who wait for it hang, and no start
 * meets it again.
 */
import type { Bus } from "../../bus/connection/connect.ts";
import { hasCode } from "../../files/errno.ts";
import { storedEventLines } from "../../bus/events/event-history.ts";
import type { EventPublisher } from "../../bus/events/events.ts";
import { FileLinesError } from "../../files/file-lines.ts";
import { Quarantine } from "../../journal/quarantine/quarantine.ts";
import { parseEventLine } from "../../journal/chain/event-line.ts";
import { attemptFolder } from "../../journal/runs/run-folder.ts";
import { activeFile, runFile, runState } from "../../journal/runs/run-files.ts";
import { RunLog } from "../../journal/runs/run-log.ts";
import { revokeToken } from "../../journal/access/tokens.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { signalRun, sweepRun } from "../../proc/runs/run.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { recordOf } from "../plan/run-record.ts";
import { RunWriter } from "../output/run-writer.ts";

export type UnreadableDeps = { journal: string; bus: Bus; publisher: EventPublisher; log: Logger };

export class UnreadableRuns {
  readonly #deps: UnreadableDeps;
  readonly #quarantine: Quarantine;

  constructor(deps: UnreadableDeps) {
    this.#deps = deps;
    this.#quarantine = new Quarantine(deps.journal, "run-file");
  }

  /** Whether a run's file was put away, and nothing stands in its place yet. */
  isMissing(agentId: string): boolean {
    return this.#quarantine.has(agentId) && runState(this.#deps.journal, agentId) === "absent";
  }

  /** Counts a failure that is the file's own. Resolves with whether the file was put away: then the run is to be ended. */
  async failed(agentId: string, error: unknown): Promise<boolean> {
    if (!isOfFile(error)) return false;
    const { journal, log } = this.#deps;
    const path = runFile(journal, agentId) ?? activeFile(journal, agentId);
    if ((await this.#quarantine.failed(agentId, error, { moveFile: path })) === "retry") return false;
    log.error({ agent_id: agentId, path, err: error }, "the file of a run can't be handled: it is put away");
    return runState(journal, agentId) === "absent";
  }

  /** Ends a run whose file was put away: safe to repeat. @throws Error when the bus doesn't answer */
  async end(agentId: string): Promise<void> {
    const { journal, bus, publisher, log } = this.#deps;
    const record = recordOf(journal, agentId);
    if (record) {
      const folder = attemptFolder(journal, agentId, record.attempt);
      signalRun(folder, "SIGKILL");
      await sweepRun(folder);
      if (record.mcp_token !== undefined) await revokeToken(journal, record.mcp_token);
    }
    const lines: string[] = [];
    let isOver = false;
    const file = RunLog.claim(journal, agentId);
    if (!file) return;
    for await (const line of storedEventLines(bus, agentId)) {
      const event = parseEventLine(line);
      isOver ||= event !== null && isTerminal(event);
      lines.push(line);
      if (lines.length >= batchLines) await file.append(lines.splice(0));
    }
    if (lines.length > 0) await file.append(lines);
    const writer = new RunWriter(journal, file, publisher, log, true);
    const error = "its file can't be read any more, and was put away: see cortex doctor. What stands here the bus had";
    if (!isOver) await writer.write([{ event: "error", error, reason: "internal" }]);
    await writer.close();
  }
}

/** How many lines are written together. */
const batchLines = 256;

/** What the file system says of a file itself, whatever is wrong with the disk. */
const codesOfFile = ["EISDIR", "ENOTDIR", "EACCES", "EPERM", "EIO", "ELOOP", "EINVAL"];

function isOfFile(error: unknown): boolean {
  if (error instanceof FileLinesError) return true;
  return error instanceof Error && "path" in error && hasCode(error, ...codesOfFile);
}
