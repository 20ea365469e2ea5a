/** nats-server writes text, into a file that it rotates itself; here its lines are taken over into `.run/logs/nats-server.log`. */
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { logFile, natsTextFile } from "../../journal/logs/program-logs.ts";
import { beginText, LogIntake, type TakenLine } from "../../journal/logs/program-logs-intake.ts";
import { ProgramLog } from "../../journal/logs/program-logs-writer.ts";

const name = "nats-server";
/** Size at which the server renames its file; a renamed file that was taken is removed. */
const maxTextBytes = 4 * 1024 * 1024;
const lookEveryMs = 200;
/** Pieces taken before others have their turn. */
const piecesAtOnce = 16;

const levels: Record<string, number> = { TRC: 10, DBG: 20, INF: 30, WRN: 40, ERR: 50, FTL: 60 };

/** The zone given to the server, which writes local times without one. */
export const natsLogEnvironment = { TZ: "UTC" };

/**
 * Arguments that make nats-server write its log. None where the file can't be written, which nats-server takes for a
 * reason not to start: it logs to its stderr then.
 */
export function natsLogArguments(journal: string): string[] {
  const file = natsTextFile(journal);
  try {
    beginText(file);
  } catch {
    return [];
  }
  return ["-l", file, "--log_size_limit", String(maxTextBytes)];
}

/** `[pid] 2026/10/09 12:00:00.123456 [INF] text`; what looks otherwise is taken as it stands. */
export function parseNatsLine(text: string, changed: number): TakenLine {
  const match = /^\[(\d+)\] (\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d\.\d{3})\d* \[([A-Z]{3})\] ?(.*)$/s.exec(text);
  const [, pid, year, month, day, time, level, msg] = match ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${time}Z`);
  if (msg === undefined || Number.isNaN(at)) return { level: 30, time: changed, msg: text };
  return { level: levels[level ?? ""] ?? 30, time: at, pid: Number(pid), msg };
}

/** Takes over what nats-server writes, from now until it is disposed of. A later one goes on where this one stopped. */
export class NatsLog implements Disposable {
  readonly #file: string;
  readonly #log: ProgramLog;
  readonly #intake: LogIntake;
  readonly #timer: NodeJS.Timeout;

  constructor(journal: string) {
    this.#file = natsTextFile(journal);
    this.#log = new ProgramLog(logFile(journal, name), name);
    this.#intake = new LogIntake(this.#log, name, parseNatsLine);
    this.#timer = setInterval(() => this.#takeLines(piecesAtOnce), lookEveryMs);
  }

  /** Takes the remaining lines. */
  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#takeLines(Number.POSITIVE_INFINITY);
    this.#log[Symbol.dispose]();
  }

  /** Takes lines into the log. Lines that can't be taken (the disk is full) stay in the text for later. */
  #takeLines(pieces: number): void {
    try {
      // A renamed file is whole: it was closed before.
      for (const file of this.#renamed()) {
        for (; this.#intake.takePiece(file, true); pieces--) if (pieces <= 0) return;
        this.#intake.takeAll(file);
      }
      for (; pieces > 0 && this.#intake.takePiece(this.#file, false); pieces--);
    } catch {
      // There is no text yet, or no room for more lines.
    }
  }

  /** The oldest first. Their names tell local times, of which two may be alike. */
  #renamed(): string[] {
    const folder = dirname(this.#file);
    return readdirSync(folder)
      .filter((file) => file.startsWith(`${basename(this.#file)}.`))
      .map((file) => ({ path: join(folder, file), changed: statSync(join(folder, file)).mtimeMs }))
      .toSorted((one, other) => one.changed - other.changed)
      .map(({ path }) => path);
  }
}
