/** From which level on each client wants to be told what its calls note. Lost with the server: then it asks again, or does without. */
import type { LoggingLevel } from "@modelcontextprotocol/server";

export type LogLevel = LoggingLevel;

/** The least severe first, as the protocol lists them. */
const levels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const satisfies readonly LogLevel[];

export const isLogLevel = (value: unknown): value is LogLevel => levels.some((level) => level === value);

export const severityOf = (level: LogLevel) => levels.indexOf(level);

/** More clients than this at once, and the one that was longest silent starts anew. */
const maxClients = 1_000;

/** The log level of each client: one that hasn't asked for a level is told nothing. */
export class LogLevels {
  readonly #levels = new Map<string, LogLevel>();

  set(client: string, level: LogLevel): void {
    this.#levels.delete(client);
    this.#levels.set(client, level);
    const [oldest] = this.#levels.keys();
    if (this.#levels.size > maxClients && oldest !== undefined) this.#levels.delete(oldest);
  }

  of(client: string): LogLevel | undefined {
    const level = this.#levels.get(client);
    if (level !== undefined) this.set(client, level);
    return level;
  }
}
