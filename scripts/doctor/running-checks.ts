/**
 * The checks of what runs at this moment, where it can be reached, and which backend a request without one would get.
 */
import { settingsInUse } from "../settings/settings-in-use.ts";
import { messageOf } from "../../files/errors/error-message.ts";
import { hasCode } from "../../files/errors/errno.ts";
import { backendFor, defaultBackend, keysIn } from "../../cortex/plan/backend-choice.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import { readToolCatalog, toolProblems } from "../../journal/programs/tool-catalog.ts";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { addressOf, greeting, natsInfo, natsPort } from "../start/nats-greeting.ts";
import type { Finding } from "./check.ts";
import { runningCortex } from "./programs-check.ts";
import { shownUrl } from "../../protocol/guards/shown-url.ts";

const mcpPort = 6270;

/** The default backend and the keys, as the running cortex has them; only where none runs, as this shell would start it. */
export function checkBackend({ journalPath: journal }: Environment): Finding {
  const name = "backend";
  const running = runningCortex(journal);
  const settings = settingsInUse(journal);
  const backend = running?.default_backend ?? defaultBackend(settings, process.env);
  const keys = running?.keys ?? keysIn(process.env);
  const where = running ? `the running cortex (pid ${running.pid})` : "this shell, from which cortex up would start";
  const present = `${keys.length > 0 ? `keys present: ${keys.join(", ")}` : "no keys present"}, in the environment of ${where}`;
  const missing = running ? keysIn(process.env).filter((key) => !keys.includes(key)) : [];
  const detail = `${backend} by default; ${present}`;
  try {
    backendFor(backend, settings);
  } catch (error) {
    const why = messageOf(error);
    const remedy = "set default_backend in cortex.json, then: cortex config check";
    return { name, ok: "fail", detail: `${why}; ${present}`, remedy };
  }
  const table: Record<string, BuiltInBackend> = builtInBackends;
  const key = table[backend]?.key;
  if (running && key !== undefined && !keys.includes(key))
    return {
      name,
      ok: "warn", // a server of one's own may want none
      detail: `${backend} by default, and its key ${key} isn't there; ${present}`,
      remedy: `export ${key}=…, then: cortex up --replace`,
    };
  if (missing.length === 0) return { name, ok: "ok", detail };
  return {
    name,
    ok: "warn",
    detail: `${detail}; this shell has ${missing.join(", ")}, and the running cortex doesn't`,
    remedy: "cortex up --replace",
  };
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

/** External servers and apps, as the tool server found them. */
export async function checkSources({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "sources";
  const catalog = await readToolCatalog(journal);
  const problems = toolProblems(catalog);
  const detail = `${catalog.sources.length || "no"} external servers and apps`;
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

/** Names the server on a port that cortex would take: it takes another then. */
async function neighbour(port: number): Promise<string> {
  const text = await greeting("127.0.0.1", port);
  if (text === null) return "";
  const info = natsInfo(text);
  return `; port ${port} is taken by ${info ? `a nats-server ${info.version}` : "another program"}, cortex would choose another`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, "EPERM");
  }
}
