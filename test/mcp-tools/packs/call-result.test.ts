import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { AgentsService, agentId, runId } from "../agents-service.ts";
import { callTool, connect } from "../tools-server.ts";

const before = "1736380700000";
const numbered = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at}`).join("\n");

let service: AgentsService;
let turn: Client & AsyncDisposable;

beforeAll(async () => {
  service = await AgentsService.start();
  const place = { is_turn: true, is_walled: false, max_processes: 1, max_memory_mb: 1 };
  turn = await connect(service.tools.url, await issueToken(service.journal, runId, ["read"], {}, place));
});
afterAll(async () => {
  await turn[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  rmSync(join(service.journal, "runs"), { recursive: true, force: true });
  rmSync(join(service.journal, "agents", agentId), { recursive: true, force: true });
});

function put(path: string, records: object[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

const run = (id: string, events: Partial<AgentEvent>[]) =>
  events.map((event, at) => ({ ts: Number(id) + at, agent_id: id, seq: at + 1, ...event }));
const ended = (call_id: string, result: unknown) => ({ event: "tool_end", tool: "x", call_id, result });

describe.each(["read", "get_resource"])("%s", (tool) => {
  let client: Client;
  beforeAll(async () => {
    client = await service.client([tool]);
  });
  const read = (path: string, lines: object = {}) => callTool(client, tool, { path, ...lines });

  test("gives the result of a call by lines, and says how to go on", async () => {
    put(activeFile(service.journal, runId), run(runId, [{ event: "request" }, ended("call-1", numbered(900, "line"))]));
    const { text, isError } = await read("result:call-1");
    expect(isError).toBe(false);
    expect(text.startsWith("line 0\nline 1\n")).toBe(true);
    expect(text.split("\n").at(-1)).toBe("[cut after line 500: go on with from: 501]");
    expect((await read("result:call-1", { from: 501, to: 502 })).text).toBe("line 500\nline 501");
    expect((await read("result:call-1", { from: 901 })).text).toContain("has 900 lines: there is no line 901");
  });

  test("parts a line that is too long for one answer", async () => {
    const long = { hits: "abcde".repeat(1_000) };
    put(activeFile(service.journal, runId), run(runId, [{ event: "request" }, ended("call-1", long)]));
    const { text } = await read("result:call-1");
    expect(text.split("\n").map(({ length }) => length)).toEqual([2_000, 2_000, 1_011]);
    expect(text.replaceAll("\n", "")).toBe(JSON.stringify(long));
  });

  test("finds calls of the runs that it continues, and the later one of two by the same id", async () => {
    put(
      endedFile(service.journal, before),
      run(before, [{ event: "request" }, ended("a", "of a"), ended("b", "then")]),
    );
    put(
      activeFile(service.journal, runId),
      run(runId, [{ event: "request", continue_from: before }, ended("b", "earlier"), ended("b", "now")]),
    );
    expect(await read("result:a")).toEqual({ text: "of a", isError: false });
    expect(await read("result:b")).toEqual({ text: "now", isError: false });
  });

  test("knows no calls of other runs, nor by other names", async () => {
    put(endedFile(service.journal, before), run(before, [{ event: "request" }, ended("a", "a secret")]));
    put(activeFile(service.journal, runId), run(runId, [{ event: "request" }]));
    for (const path of ["result:a", "result:", "result:../a"])
      expect(await read(path)).toEqual({
        text: `${tool}: "${path}": no result of such a call is kept: call the tool again, for less at a time`,
        isError: true,
      });
    await using commands = await connect(service.tools.url, await commandsToken(service.journal));
    expect((await callTool(commands, tool, { path: "result:a" })).text).toContain("only a run has results");
  });
});

test("a turn finds the calls of its agent's history, in what was put away as well, though their runs are gone", async () => {
  const record = (call_id: string, result: string) => ({
    id: "r",
    type: "tool_result",
    ts: 1,
    run_id: before,
    call_id,
    result,
  });
  const folder = join(service.journal, "agents", agentId);
  put(join(folder, "history.jsonl"), [
    record("b", "in the history"),
    { id: "r", type: "assistant", ts: 1, run_id: before, text: "a" },
  ]);
  put(join(folder, "archive", "2025-01-09-000000000-1.jsonl"), [record("a", "put away"), record("b", "before")]);
  const read = async (path: string) => (await callTool(turn, "read", { path })).text;
  expect(await read("result:a")).toBe("put away");
  expect(await read("result:b")).toBe("in the history");
  expect(await read("result:c")).toContain("no result of such a call is kept");
});
