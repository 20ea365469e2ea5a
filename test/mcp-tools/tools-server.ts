/** Starts the real program on a journal of its own, and stops it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { vi } from "vitest";
import { readToolCatalog } from "../../journal/programs/tool-catalog.ts";
import { readProgramRecord } from "../../journal/programs/programs.ts";
import { ownCommand } from "../../proc/programs/own-command.ts";
import { patienceMs } from "../support/patience.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../${relative}`, import.meta.url));

/** An empty folder for a journal, or a copy of the example; gone at the end of its scope. */
export function makeJournal(from: "empty" | "example" = "empty"): { journal: string } & Disposable {
  const journal = realpathSync(mkdtempSync(join(tmpdir(), "journal-")));
  if (from === "example") cpSync(path("examples/journal"), journal, { recursive: true });
  return { journal, [Symbol.dispose]: () => rmSync(journal, { recursive: true, force: true }) };
}

export type ToolsServer = {
  url: string;
  port: number;
  child: ChildProcess;
  stderr: () => string;
  /** Sends TERM and waits for the end. */
  stop: () => Promise<number | null>;
} & AsyncDisposable;

/** Ready means that the file with its pid is there. @param uid another user, to whom the journal belongs: root's alone to say */
export async function startTools(
  journal: string,
  env: Record<string, string> = {},
  uid?: number,
): Promise<ToolsServer> {
  const [program = "", ...args] = ownCommand("mcp-tools/main");
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], JOURNAL_PATH: journal, CORTEX_MCP_PORT: "0", ...env },
    stdio: ["ignore", "ignore", "pipe"],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "exit");
  const url = await urlOf(journal, child, () => stderr);
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    return child.exitCode;
  };
  return {
    url,
    port: Number(new URL(url).port),
    child,
    stderr: () => stderr,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}

/** Starts it with the fixture's tools as those of an external server, and resolves when they are there. */
export async function startWithFixture(journal: string): Promise<ToolsServer> {
  const command = [process.execPath, path("test/fixtures/mcp/server.ts")];
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ mcp_servers: { fixture: { command } } }));
  const server = await startTools(journal, { CORTEX_LOG_LEVEL: "debug" });
  const isReady = async () => (await readToolCatalog(journal)).sources[0]?.state === "ready";
  await vi.waitUntil(isReady, { timeout: patienceMs, interval: 20 });
  return server;
}

/** Where it listens, once it does. */
async function urlOf(journal: string, child: ChildProcess, stderr: () => string): Promise<string> {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(20)) {
    if (child.exitCode !== null) break;
    const record = await readProgramRecord(journal, "mcp-tools");
    if (record?.pid === child.pid && record?.url !== undefined) return record.url;
  }
  throw new Error(`mcp-tools isn't ready: ${stderr()}`);
}

/** A client of the official SDK with a token. */
export async function connect(url: string, token: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }),
    { timeout: patienceMs },
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** Calls a tool: its text, and whether it is an error. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown>,
): Promise<{ text: string; isError: boolean }> {
  const called = client.callTool({ name, arguments: args }, undefined, { timeout: patienceMs });
  const { content, isError } = CallToolResultSchema.parse(await called);
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", isError: isError === true };
}
