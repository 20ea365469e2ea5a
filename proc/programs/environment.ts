/**
 * The settings that cortex takes from its environment. Only `main.ts` files and commands read it; everything below is
 * handed values.
 */
import { join, resolve } from "node:path";
import { EnvironmentError } from "../os/environment-error.ts";
import { homeFolder } from "../os/home-folder.ts";

export type Environment = {
  journalPath: string;
  natsUrl: string | undefined;
  /** Files with what that bus wants to see, as `cortex up --join` was told. */
  natsFiles: NatsFiles;
  /** The labels of this worker, beside what its settings say. */
  labels: string[];
  mcpPort: number | undefined;
  webPort: number | undefined;
  gatewayPort: number | undefined;
  /** The web program of another machine, and the token of whoever asks. */
  webUrl: string | undefined;
  webToken: string | undefined;
  timeZone: string;
};

const natsVariables = {
  caFile: "NATS_CA_FILE",
  certFile: "NATS_CERT_FILE",
  keyFile: "NATS_KEY_FILE",
  nkeyFile: "NATS_NKEY_FILE",
  credsFile: "NATS_CREDS_FILE",
  tokenFile: "NATS_TOKEN_FILE",
} as const;
export type NatsFiles = { [Name in keyof typeof natsVariables]?: string };

/** The variables that say the same to a program that we start. */
export function asVariables(files: NatsFiles): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([name, path]) => [natsVariables[name as keyof NatsFiles], resolve(path)]),
  );
}

/**
 * Reads the variables that docs/contract.md names.
 * @throws EnvironmentError naming the variable, its value and what was expected
 */
export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const zone = givenZone(env["CORTEX_TZ"]);
  return {
    journalPath: resolve(env["JOURNAL_PATH"] || usualJournal(env)),
    natsUrl: env["NATS_URL"] || undefined,
    natsFiles: Object.fromEntries(
      Object.entries(natsVariables).flatMap(([name, variable]) => (env[variable] ? [[name, env[variable]]] : [])),
    ),
    labels: (env["CORTEX_LABELS"] ?? "").split(",").filter((label) => label !== ""),
    mcpPort: port("CORTEX_MCP_PORT", env["CORTEX_MCP_PORT"]),
    webPort: port("CORTEX_WEB_PORT", env["CORTEX_WEB_PORT"]),
    gatewayPort: port("CORTEX_GATEWAY_PORT", env["CORTEX_GATEWAY_PORT"]),
    webUrl: webUrl(env["CORTEX_WEB_URL"]),
    webToken: env["CORTEX_WEB_TOKEN"] || undefined,
    // Asked for only where it is used: to find it out takes longer than most commands do.
    get timeZone() {
      return zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
  };
}

function usualJournal(env: NodeJS.ProcessEnv): string {
  const dataHome = env["XDG_DATA_HOME"] || join(homeFolder(env, "the journal"), ".local", "share");
  return join(dataHome, "cortex", "journal");
}

function port(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65535)
    throw new EnvironmentError(`${name}="${text}": expected a port, 0 to 65535`);
  return value;
}

function webUrl(text: string | undefined): string | undefined {
  if (!text) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new EnvironmentError(`CORTEX_WEB_URL: expected an address such as https://cortex.example.org`);
  return url.origin;
}

function givenZone(name: string | undefined): string | undefined {
  if (!name) return undefined;
  // Known to be one, without asking what loads all that is known of zones.
  if (name === "UTC") return name;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new EnvironmentError(`CORTEX_TZ="${name}": expected a time zone such as Europe/Berlin`);
  }
}
