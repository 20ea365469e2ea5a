/** What cortex takes from its environment. Only `main.ts` files and commands read it; everything below is handed values. */
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** A variable whose value can't be. */
export class EnvironmentError extends Error {
  override name = "EnvironmentError";
}

export type Environment = {
  journalPath: string;
  natsUrl: string | undefined;
  mcpPort: number | undefined;
  timeZone: string;
};

/**
 * Reads the variables of the contract.
 * @throws EnvironmentError naming the variable, its value and what was expected
 */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const dataHome = env["XDG_DATA_HOME"] || join(homedir(), ".local", "share");
  return {
    journalPath: resolve(env["JOURNAL_PATH"] || join(dataHome, "cortex", "journal")),
    natsUrl: env["NATS_URL"] || undefined,
    mcpPort: port("CORTEX_MCP_PORT", env["CORTEX_MCP_PORT"]),
    timeZone: timeZone(env["CORTEX_TZ"]),
  };
}

function port(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65535)
    throw new EnvironmentError(`${name}="${text}": expected a port, 0 to 65535`);
  return value;
}

function timeZone(name: string | undefined): string {
  if (!name) return Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new EnvironmentError(`CORTEX_TZ="${name}": expected a time zone such as Europe/Berlin`);
  }
}
