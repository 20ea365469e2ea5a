/** External servers and apps behind the tool server: those that are silent, missing or wild keep nobody else away. */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { issueToken } from "../../../journal/access/tokens.ts";
import { patienceMs } from "../../support/patience.ts";
import { callTool, connect } from "../tools-server.ts";
import { everything, fixture, path, ToolboxSystem } from "./toolbox-system.ts";

const toolbox = new ToolboxSystem();
const { journal } = toolbox;
let servers: Record<string, object> = {
  everything: { command: [process.execPath, everything, "stdio"] },
  gone: { command: ["nonsuch-program"] },
  silent: { command: [...fixture.command, "silent"] },
  fixture,
};

beforeAll(async () => {
  cpSync(path("examples/apps/units"), join(journal, "apps/units"), { recursive: true });
  toolbox.writeApp(
    "wild",
    "acts.ts",
    `let calls = 0;
     export const count = { description: "Counts.", run: () => String(++calls) };
     export const spin = { description: "Spins.", run: () => { for (;;); } };
     export const leave = { description: "Leaves.", run: () => process.exit(0) };
     export const die = { description: "Dies.", run: () => process.kill(process.pid, "SIGKILL") };
     export const talk = { description: "Talks.", run: () => { console.log('{"jsonrpc":"2.0"}'); return "said"; } };`,
  );
  toolbox.configure(servers);
  await toolbox.start();
});
afterAll(() => toolbox[Symbol.asyncDispose]());

test("a server that never answers, or isn't there, keeps nobody else away", async () => {
  await toolbox.until("everything", "ready");
  await toolbox.until("gone", "failed");
  await toolbox.until("silent", "connecting");
  expect(await callTool(toolbox.client, "everything.echo", { message: "hello" })).toEqual({
    text: "Echo: hello",
    isError: false,
  });
});

test("a grant has the tools that it names and no others", async () => {
  await toolbox.until("everything", "ready");
  const token = await issueToken(journal, "1736380800000", ["everything.echo", "get_resource"]);
  await using own = await connect(toolbox.server.url, token);
  const { tools } = await own.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["get_resource", "everything.echo"]);
  expect(await callTool(own, "everything.get-env", {})).toMatchObject({
    isError: true,
    text: expect.stringContaining('no tool "everything.get-env" here'),
  });
});

test("the example's tools can be called", async () => {
  await toolbox.until("units", "ready");
  const result = await toolbox.client.callTool({
    name: "units.convert",
    arguments: { value: 1, from: "mile", to: "km" },
  });
  expect(result.structuredContent).toEqual({ value: 1.609344, unit: "km" });
  expect((await callTool(toolbox.client, "units.table", {})).text).toContain("mile: 1609.344 m");
  expect(await callTool(toolbox.client, "units.convert", { value: 1, from: "parsec", to: "km" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("wrong arguments: from"),
  });
  const convert = (await toolbox.client.listTools()).tools.find(({ name }) => name === "units.convert");
  expect(convert).toMatchObject({
    annotations: { readOnlyHint: true },
    inputSchema: { required: expect.any(Array) },
  });
});

test("a tool that exits, dies or prints hurts itself alone", async () => {
  await toolbox.until("wild", "ready");
  expect(await callTool(toolbox.client, "wild.count", {})).toEqual({ text: "1", isError: false });
  expect(await callTool(toolbox.client, "wild.leave", {})).toMatchObject({ isError: true });
  expect(await callTool(toolbox.client, "wild.talk", {})).toEqual({ text: "said", isError: false });
  expect(await callTool(toolbox.client, "wild.count", {})).toEqual({ text: "2", isError: false });
  expect(await callTool(toolbox.client, "wild.die", {})).toMatchObject({ isError: true });
  expect(await callTool(toolbox.client, "wild.count", {})).toEqual({ text: "1", isError: false });
});

test("a change is taken up, and so is the end of an app", async () => {
  toolbox.writeApp("fresh", "a.ts", 'export default { description: "A.", run: () => "old" };');
  await toolbox.until("fresh", "ready", (_, tools) => tools.includes("fresh.a"));
  toolbox.writeApp("fresh", "b.ts", 'export default { description: "B.", run: () => "new" };');
  await toolbox.until("fresh", "ready", (_, tools) => tools.includes("fresh.b"));
  expect(await callTool(toolbox.client, "fresh.b", {})).toEqual({ text: "new", isError: false });
  rmSync(join(journal, "apps/fresh"), { recursive: true });
  await toolbox.until("fresh", "gone");
  expect(await callTool(toolbox.client, "fresh.b", {})).toMatchObject({ isError: true });
});

test("settings are followed: one more server, one less, and a broken file changes nothing", async () => {
  await toolbox.until("fixture", "ready");
  const { text: pid } = await callTool(toolbox.client, "fixture.pid", {});
  servers = { ...servers, more: fixture };
  toolbox.configure(servers);
  await toolbox.until("more", "ready");
  expect((await callTool(toolbox.client, "fixture.pid", {})).text).toBe(pid);
  const { more: _, ...rest } = servers;
  servers = rest;
  toolbox.configure(servers);
  await toolbox.until("more", "gone");
  writeFileSync(join(journal, "cortex.json"), '{"mcp_servers": {"fixture": {}}}');
  await vi.waitUntil(() => toolbox.server.stderr().includes("expected one of url and command"), {
    timeout: patienceMs,
  });
  expect((await callTool(toolbox.client, "fixture.pid", {})).text).toBe(pid);
  toolbox.configure(servers);
});
