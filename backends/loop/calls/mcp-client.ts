/** Tools over MCP: connects to a server, lists what it offers, calls it. The token goes to that server's address and nowhere else. */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Client, SdkHttpError, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { hasCode } from "../../../files/errors/errno.ts";
import { argumentHeaderProblem } from "../../../protocol/guards/argument-headers.ts";
import { isDeeper } from "../../../protocol/json/cut-depth.ts";
import { maxPartJsonDepth } from "../../../protocol/json/parse-json.ts";
import { abortable } from "../../provider/abort.ts";
import { messageWithCauses, RunFailure } from "../../provider/failure.ts";
import { AnswerWatch, LostAnswerError } from "./mcp-answers.ts";
import type { ToolDescription } from "../../provider/provider.ts";
import type { AttachmentLimits } from "../../../files/attachment-rules.ts";
import { flattenResult } from "./tool-result.ts";
import type { OnOutput, Toolbox, ToolResult } from "./tools.ts";
import { shownUrl } from "../../../protocol/guards/shown-url.ts";

/** `wanted`: the names of the tools to keep; absent: all. */
export type ToolServer = {
  url: string;
  token: string | undefined;
  wanted: readonly string[] | undefined;
  /** Where files are kept that tools return; absent: nowhere. */
  folder?: string | undefined;
  /** The limits of these files. */
  limits?: AttachmentLimits | undefined;
};

export type McpTools = Toolbox & {
  /** Tools that the run asked for and the server doesn't offer. */
  missing: string[];
};

const connectTimeoutMs = 30_000;
const closeTimeoutMs = 1_000;

/** A tool may take as long as it needs: the run has clocks of its own. This is the most that a timer can wait. */
const noTimeoutMs = 2 ** 31 - 1;

/** One that has died is started again within seconds: so long it is waited for, and tried so often. */
const awayMs = 10_000;
const againMs = 200;

/** A server that never stops listing tools is cut off here. */
const maxPages = 100;

/**
 * Connects and lists the tools.
 * @param patienceMs for a server where nobody listens now
 * @throws RunFailure: `config` where the address or the token is wrong, `provider` where the server is away or fails
 */
export async function connectTools(server: ToolServer, signal: AbortSignal, patienceMs = awayMs): Promise<McpTools> {
  const url = httpUrl(server.url);
  let connection: Connection | undefined;
  try {
    const offered = await patiently(
      async () => {
        if (connection) await disconnect(connection);
        connection = undefined;
        connection = await connect(url, server.token, signal);
        return listTools(connection.client, signal);
      },
      signal,
      patienceMs,
    );
    const { wanted } = server;
    return {
      descriptions: wanted ? offered.filter((tool) => wanted.includes(tool.name)) : offered,
      missing: (wanted ?? []).filter((name) => !offered.some((tool) => tool.name === name)),
      call: async (tool, args, callSignal, { id: name, isCutOff, onOutput }) => {
        const printed = onOutput && printing.has(tool) && { onOutput };
        const schema = offered.find((one) => one.name === tool)?.schema;
        const call = { tool, schema, args, id: randomUUID(), name, isCutOff, ...printed };
        let wasForgotten = false;
        for (let [end, begun] = [0, Infinity]; ; ) {
          try {
            connection ??= await patiently(() => connect(url, server.token, callSignal), callSignal, patienceMs);
            begun = performance.now();
            return await callOver(connection, call, callSignal, server);
          } catch (error) {
            // One that waited for long was under way: the server's absence begins now.
            if (end === 0 || performance.now() - begun > patienceMs) end = performance.now() + patienceMs;
            // A server that was restarted forgets its sessions and runs nothing for them: MCP says to begin a new one.
            const mayAsk = isForgotten(error)
              ? !wasForgotten
              : mayRepeat(error, server, tool) && performance.now() < end;
            call.isCutOff ||= !isForgotten(error) && !isRefused(error) && isMadeOnce(tool);
            if (callSignal.aborted || !mayAsk) throw error;
            wasForgotten ||= isForgotten(error);
            if (connection) await disconnect(connection);
            connection = undefined;
          }
        }
      },
      [Symbol.asyncDispose]: async () => {
        if (connection) await disconnect(connection);
      },
    };
  } catch (error) {
    if (connection) await disconnect(connection);
    throw signal.aborted ? error : unreachable(server.url, error);
  }
}

/** A call by a name of its own, so that sending it again can't make its effect twice: our own tools heed it. */
type Call = {
  tool: string;
  /** The schema of its arguments, as the server described it: by it some are sent as headers, too. */
  schema: ToolDescription["schema"] | undefined;
  args: Record<string, unknown>;
  id: string;
  name: string;
  isCutOff: boolean;
  onOutput?: OnOutput;
};
const callIdKey = "cortex/call_id";
/** Its name in the run's file, by which a person is asked about it once. */
const callNameKey = "cortex/tool_call_id";
/** It was made before, and its answer got lost. */
const cutOffKey = "cortex/cut_off";

type Connection = { client: Client; transport: StreamableHTTPClientTransport; watch: AnswerWatch };

/** Tries what changes nothing until somebody is there to answer. */
async function patiently<T>(attempt: () => Promise<T>, signal: AbortSignal, patienceMs: number): Promise<T> {
  for (const end = performance.now() + patienceMs; ; await abortable(delay(againMs), signal))
    try {
      return await attempt();
    } catch (error) {
      if (!isAway(error) || performance.now() >= end) throw error;
    }
}

/** Tools of ours whose progress is what they print. */
const printing = new Set(["bash"]);

/** Tools of ours whose effect is outside of the journal: how far a call came that was cut off, nobody knows. */
const unrepeatable = new Set(["bash", "process_input"]);

/** Whether nobody listens, or the listener left before any answer. */
const isAway = (error: unknown) => isRefused(error) || isCausedBy(error, ["ECONNRESET", "UND_ERR_SOCKET"]);
const isRefused = (error: unknown) => isCausedBy(error, ["ECONNREFUSED"]);

/** Tools that don't know a call again. */
const isMadeOnce = (tool: string) => tool.includes(".") || unrepeatable.has(tool);

/** A call that was cut off may have been made: our own server knows it by its id, or makes it only if it still waited for a person. */
function mayRepeat(error: unknown, { token }: ToolServer, tool: string): boolean {
  const isLost = isAway(error) || (error instanceof LostAnswerError && isMadeOnce(tool));
  return isRefused(error) || (isLost && token !== undefined);
}

function isCausedBy(error: unknown, codes: string[]): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (hasCode(at, ...codes)) return true;
  return false;
}

async function connect(url: URL, token: string | undefined, signal: AbortSignal): Promise<Connection> {
  const watch = new AnswerWatch();
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: watch.fetch,
    ...(token !== undefined && { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  });
  const client = new Client({ name: "cortex-agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
  client.onerror = watch.onError;
  try {
    await abortable(client.connect(transport, { timeout: connectTimeoutMs, signal }), signal);
  } catch (error) {
    await client.close();
    throw error;
  }
  return { client, transport, watch };
}

async function disconnect({ client, transport }: Connection): Promise<void> {
  // A courtesy, so that the server need not keep the session; one that doesn't answer isn't waited for.
  await abortable(transport.terminateSession(), AbortSignal.timeout(closeTimeoutMs)).catch(() => {});
  await client.close();
}

async function listTools(client: Client, signal: AbortSignal): Promise<ToolDescription[]> {
  const tools = new Map<string, ToolDescription>();
  const isStateless = client.getProtocolEra() === "modern";
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    // Not `client.listTools`: it compiles a validator for each tool's output, which nobody here reads.
    const answer = await client.request(
      { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
      { timeout: connectTimeoutMs, signal },
    );
    // No model accepts an answer that is nested too deep.
    for (const { name, description = "", inputSchema } of answer.tools)
      if (
        !tools.has(name) &&
        !isDeeper(inputSchema, maxPartJsonDepth) &&
        (!isStateless || !argumentHeaderProblem(inputSchema))
      )
        tools.set(name, { name, description, schema: inputSchema });
    cursor = answer.nextCursor;
    if (cursor === undefined) break;
  }
  return [...tools.values()];
}

async function callOver(
  { client, watch }: Connection,
  { tool, schema, args, id, name, isCutOff, onOutput }: Call,
  signal: AbortSignal,
  { folder, limits }: Pick<ToolServer, "folder" | "limits">,
): Promise<ToolResult> {
  const lost = watch.nextIsLost();
  const answer = client.callTool(
    {
      name: tool,
      arguments: args,
      _meta: { [callIdKey]: id, [callNameKey]: name, ...(isCutOff && { [cutOffKey]: true }) },
    },
    {
      toolDefinition: { name: tool, inputSchema: { ...schema, type: "object" } },
      timeout: noTimeoutMs,
      signal,
      ...(onOutput && { onprogress: ({ message = "" }) => message !== "" && onOutput(message) }),
    },
  );
  const result = await Promise.race([answer, lost]);
  return { ...(await flattenResult(result, folder, limits)), isError: result.isError === true };
}

function isForgotten(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}

function httpUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === "http:" || url.protocol === "https:")) return url;
  throw new RunFailure("config", `mcp_server_url "${shownUrl(text)}": expected an http or https address`);
}

function unreachable(url: string, error: unknown): RunFailure {
  const status = error instanceof SdkHttpError ? error.status : undefined;
  if (status === 401 || status === 403)
    return new RunFailure(
      "config",
      `the tool server at ${shownUrl(url)} refused the token (${status}): check mcp_token`,
      {
        cause: error,
      },
    );
  if (status === 404 || status === 405)
    return new RunFailure("config", `nothing at ${shownUrl(url)} speaks MCP (${status}): check mcp_server_url`, {
      cause: error,
    });
  return new RunFailure("provider", `the tool server at ${shownUrl(url)} can't be used: ${messageWithCauses(error)}`, {
    cause: error,
  });
}
