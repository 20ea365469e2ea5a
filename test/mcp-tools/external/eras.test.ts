/** External servers of either era, over HTTP and as programs: real ones, reached through the whole tool server. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type StatelessServer, startStatelessServer } from "../../support/mcp/stateless-server.ts";
import { patienceMs } from "../../support/patience.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";
import { callTool } from "../tools-server.ts";
import { everything, fixture, path, ToolboxSystem } from "./toolbox-system.ts";

const system = new ToolboxSystem();
const starts = join(system.journal, "starts");
const timesStarted = () => readFileSync(starts, "utf8").trimEnd().split("\n").length;
let stateless: StatelessServer;
let session: ToolServer;

beforeAll(async () => {
  stateless = await startStatelessServer();
  session = await startToolServer({ hasSessions: true });
  system.configure({
    newer: { url: stateless.url },
    "newer-program": { command: [process.execPath, path("test/fixtures/mcp/stateless.ts"), "newer", starts] },
    older: { url: session.url },
    "older-program": { command: [process.execPath, everything] },
    // It says nothing to a method that it doesn't know.
    taciturn: fixture,
  });
  await system.start();
  for (const name of ["newer", "newer-program", "older", "older-program", "taciturn"])
    await system.until(name, "ready");
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  await session[Symbol.asyncDispose]();
  await stateless[Symbol.asyncDispose]();
});

describe("of the stateless protocol", () => {
  test("a server at an address is asked what it speaks, and never greeted in the older way", async () => {
    // The server itself refuses a call whose header doesn't say what the argument says.
    const { text } = await callTool(system.client, "newer.where", { region: "Köln" });
    expect(JSON.parse(text)).toEqual({ region: "Köln" });
    expect(stateless.methods).toContain("tools/call");
    expect(stateless.methods).not.toContain("initialize");
  });

  test("a program that refuses the older greeting is started once more, and then called", async () => {
    const { text } = await callTool(system.client, "newer-program.where", { region: "north" });
    expect(JSON.parse(text)).toEqual({ region: "north" });
    expect(timesStarted()).toBe(2);
    process.kill(Number((await callTool(system.client, "newer-program.process", {})).text), "SIGKILL");
    await vi.waitUntil(() => timesStarted() > 2, { timeout: patienceMs, interval: 20 });
    // From its start on a call waits until it is connected.
    expect((await callTool(system.client, "newer-program.where", { region: "south" })).text).toContain("south");
    // What it speaks is known by now.
    expect(timesStarted()).toBe(3);
  });

  test("a server tells of its changed tools whoever listens", async () => {
    stateless.grow();
    await system.until("newer", "ready", (_, tools) => tools.includes("newer.late"));
    expect((await callTool(system.client, "newer.late", {})).text).toBe("late");
  });

  test("an external server hears which trace a call belongs to", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const params = { name: "newer.where", arguments: { region: "east" }, _meta: { traceparent } };
    const { content } = await system.client.request({ method: "tools/call", params }, CallToolResultSchema);
    expect(content).toEqual([{ type: "text", text: JSON.stringify({ region: "east", trace: traceparent }) }]);
  });
});

describe("of the older protocol", () => {
  test("a server at an address is used with its session", async () => {
    expect(await callTool(system.client, "older.echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
  });

  test("a program is greeted once", async () => {
    expect((await callTool(system.client, "older-program.echo", { message: "hi" })).text).toContain("hi");
    expect((await callTool(system.client, "taciturn.pid", {})).text).toMatch(/^\d+$/);
  });
});
