/** What runs at this moment, where it can be reached, and which backend a request without one would get. */
import { backendFor, defaultBackend } from "../../cortex/backend-choice.ts";
import type { Environment } from "../../proc/environment.ts";
import { type BuiltInBackend, builtInBackends } from "../../protocol/backends.ts";
import { checkSettings } from "../commands/config.ts";
import { readToolCatalog, toolProblems } from "../../journal/tool-catalog.ts";
import { readEndpoints } from "../../journal/endpoints.ts";
import { addressOf, greeting, natsInfo, natsPort } from "./nats-greeting.ts";
import type { Finding } from "./check.ts";
import { shownUrl } from "../../protocol/shown-url.ts";

const mcpPort = 6270;

export function checkBackend({ journalPath: journal }: Environment): Finding {
  const name = "backend";
  const { settings } = checkSettings(journal);
  const backend = defaultBackend(settings, process.env);
  const table: Record<string, BuiltInBackend> = builtInBackends;
  const keys = Object.values(table).flatMap(({ key }) => (key !== undefined && process.env[key] ? [key] : []));
  const present = keys.length > 0 ? `keys present: ${keys.join(", ")}` : "no keys present";
  try {
    backendFor(backend, settings);
    return { name, ok: "ok", detail: `${backend} by default; ${present}` };
  } catch (error) {
    const detail = `${error instanceof Error ? error.message : String(error)}; ${present}`;
    return { name, ok: "fail", detail, remedy: "set default_backend in cortex.json, then: cortex config check" };
  }
}

export async function checkBus({ journalPath: journal, natsUrl }: Environment): Promise<Finding> {
  const name = "bus";
  const endpoints = readEndpoints(journal);
  const url = natsUrl ?? endpoints?.nats_url;
  if (url === undefined)
    return { name, ok: "ok", detail: `not running${await neighbour(natsPort)} (start it: cortex up)` };
  const { host, port } = addressOf(url, natsPort);
  const shown = `nats://${host}:${port}`;
  const info = natsInfo(await greeting(host, port));
  if (info) return { name, ok: "ok", detail: `nats-server ${info.version} answers at ${shown}` };
  if (natsUrl !== undefined)
    return {
      name,
      ok: "fail",
      detail: `NATS_URL: no nats-server answers at ${shown}`,
      remedy: "start that server, or: unset NATS_URL",
    };
  const isUp = endpoints !== null && isAlive(endpoints.pid);
  const detail = `no nats-server answers at ${shown}, where .run/endpoints.json says it is`;
  return isUp
    ? { name, ok: "fail", detail, remedy: "cortex up --replace" }
    : { name, ok: "warn", detail: `${detail}: cortex is not running`, remedy: "cortex up" };
}

/** Outside servers and apps, as the tool server found them. */
export async function checkSources({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "sources";
  const catalog = await readToolCatalog(journal);
  const problems = toolProblems(catalog);
  const detail = `${catalog.sources.length || "no"} outside servers and apps`;
  if (problems.length === 0) return { name, ok: "ok", detail };
  return { name, ok: "warn", detail: problems.join("; "), remedy: "cortex tools list, cortex logs mcp-tools" };
}

export async function checkTools({ journalPath: journal, mcpPort: asked }: Environment): Promise<Finding> {
  const name = "tools";
  const url = readEndpoints(journal)?.mcp_url;
  if (url === undefined)
    return { name, ok: "ok", detail: `not running${await neighbour(asked || mcpPort)} (start it: cortex up)` };
  const { host, port } = addressOf(url, mcpPort);
  if ((await greeting(host, port)) !== null)
    return { name, ok: "ok", detail: `the MCP server listens at ${shownUrl(url)}` };
  return {
    name,
    ok: "warn",
    detail: `nothing listens at ${shownUrl(url)}, where .run/endpoints.json says the MCP server is`,
    remedy: "cortex up",
  };
}

/** Who sits on a port that cortex would take: it takes another then. */
async function neighbour(port: number): Promise<string> {
  const text = await greeting("127.0.0.1", port);
  if (text === null) return "";
  const info = natsInfo(text);
  return `; port ${port} is taken by ${info ? `a nats-server ${info.version}` : "another program"}, cortex would take another`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
