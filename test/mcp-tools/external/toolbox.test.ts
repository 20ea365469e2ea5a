import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import { identifyProcess } from "../../../proc/processes/identity.ts";
import { freePort } from "../../../proc/os/free-port.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";
import { patienceMs } from "../../support/patience.ts";

const path = (relative: string) => fileURLToPath(new URL(`../../../${relative}`, import.meta.url));
const everything = path("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const filesystem = path("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
const fixture = { command: [process.execPath, path("test/fixtures/mcp/server.ts")] };

const { journal, [Symbol.dispose]: removeJournal } = makeJournal();
let http: ChildProcess;
let port: number;
let server: ToolsServer;
let client: Client & AsyncDisposable;

const settings: { mcp_servers: Record<string, object> } = { mcp_servers: {} };
const writeSettings = () => writeFileSync(join(journal, "cortex.json"), JSON.stringify(settings));
const writeApp = (app: string, file: string, text: string) => {
  mkdirSync(join(journal, "apps", app, "tools"), { recursive: true });
  writeFileSync(join(journal, "apps", app, "tools", file), text);
};

/** Waits until the catalogue says so of a server or app. */
async function until(name: string, state: string, ask: (problems: string[], tools: string[]) => boolean = () => true) {
  let last: unknown;
  const isSo = async () => {
    const source = (await readToolCatalog(journal)).sources.find((one) => one.name === name);
    last = source;
    return state === "gone" ? !source : source?.state === state && ask(source.problems, source.tools);
  };
  await vi.waitUntil(isSo, { timeout: patienceMs, interval: 20 }).catch((error: Error) => {
    error.message += ` for ${name}: ${state}; the catalogue had ${JSON.stringify(last)}; said: ${server.stderr().slice(-2000)}`;
    throw error;
  });
}

async function startHttp(): Promise<void> {
  http = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  await vi.waitUntil(
    () =>
      fetch(`http://127.0.0.1:${port}/mcp`).then(
        () => true,
        () => false,
      ),
    { timeout: patienceMs },
  );
}

beforeAll(async () => {
  port = await freePort(...[1, 2, 3].map(() => 10_000 + Math.floor(Math.random() * 20_000)));
  cpSync(path("examples/apps/units"), join(journal, "apps/units"), { recursive: true });
  writeApp("bad", "syntax.ts", "export default {");
  writeApp("bad", "throws.js", 'throw new Error("not today");');
  writeApp("bad", "empty.ts", "export const x = 1;");
  writeApp("bad", "waits.ts", "await new Promise(() => setInterval(() => {}, 1000));");
  writeApp("bad", "fine.js", 'export default { description: "Fine.", run: () => "fine" };');
  writeApp("bad", "again.js", 'export default { name: "fine", description: "Fine.", run: () => "fine" };');
  writeApp(
    "wild",
    "acts.ts",
    `let calls = 0;
     export const count = { description: "Counts.", run: () => String(++calls) };
     export const spin = { description: "Spins.", run: () => { for (;;); } };
     export const leave = { description: "Leaves.", run: () => process.exit(0) };
     export const die = { description: "Dies.", run: () => process.kill(process.pid, "SIGKILL") };
     export const talk = { description: "Talks.", run: () => { console.log('{"jsonrpc":"2.0"}'); return "said"; } };`,
  );
  writeApp("outsider", "x.ts", "");
  rmSync(join(journal, "apps/outsider"), { recursive: true });
  symlinkSync(path("examples/apps/units"), join(journal, "apps/outsider"));
  await startHttp();
  settings.mcp_servers = {
    everything: { command: [process.execPath, everything, "stdio"] },
    filesystem: { command: [process.execPath, filesystem, journal] },
    remote: { url: `http://127.0.0.1:${port}/mcp`, headers: { "X-Own": "1" } },
    gone: { command: ["nonsuch-program"] },
    silent: { command: [...fixture.command, "silent"] },
    fixture,
  };
  writeSettings();
  server = await startTools(journal);
  client = await connect(server.url, await commandsToken(journal));
});

afterAll(async () => {
  await client.close();
  await server.stop();
  http.kill("SIGKILL");
  removeJournal();
});

test("a server that never answers, or isn't there, keeps nobody else away", async () => {
  await until("everything", "ready");
  await until("gone", "failed");
  await until("silent", "connecting");
  expect(await callTool(client, "everything.echo", { message: "hello" })).toEqual({
    text: "Echo: hello",
    isError: false,
  });
});

test("the tools of real servers pass through with their schemas, over stdio and over HTTP", async () => {
  await until("filesystem", "ready");
  await until("remote", "ready");
  const { tools } = await client.listTools();
  for (const server of ["everything", "remote"]) {
    const sum = tools.find(({ name }) => name === `${server}.get-sum`);
    expect(sum?.inputSchema.properties).toHaveProperty("a");
    expect((await callTool(client, `${server}.get-sum`, { a: 2, b: 3 })).text).toContain("5");
    const image = await client.callTool({ name: `${server}.get-tiny-image`, arguments: {} });
    expect(image.content).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }));
    const weather = await client.callTool({
      name: `${server}.get-structured-content`,
      arguments: { location: "New York" },
    });
    expect(weather.structuredContent).toHaveProperty("temperature");
  }
  expect(tools.find(({ name }) => name === "filesystem.read_text_file")?.annotations?.readOnlyHint).toBe(true);
  writeFileSync(join(journal, "note.txt"), "a note");
  expect((await callTool(client, "filesystem.read_text_file", { path: join(journal, "note.txt") })).text).toBe(
    "a note",
  );
  expect(await callTool(client, "filesystem.read_text_file", { path: "/etc/hostname" })).toMatchObject({
    isError: true,
  });
});

test("an HTTP server that was restarted has forgotten us, and the next call doesn't notice", async () => {
  await until("remote", "ready");
  const ended = once(http, "exit");
  http.kill("SIGKILL");
  await ended;
  await startHttp();
  await until("remote", "ready"); // where the end was noticed, it is connected again after a while
  expect(await callTool(client, "remote.echo", { message: "again" })).toEqual({ text: "Echo: again", isError: false });
});

test("an HTTP server that dies while it works gives an error", async () => {
  await until("remote", "ready");
  const atWork = Promise.withResolvers<void>();
  const long = { name: "remote.trigger-long-running-operation", arguments: { duration: 60, steps: 600 } };
  const calling = client.callTool(long, CallToolResultSchema, { onprogress: () => atWork.resolve() });
  await atWork.promise;
  http.kill("SIGKILL");
  // Which of the two is noticed first is chance: the answer that breaks off, or the connection.
  expect(await calling).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(/went away|closed/) }],
  });
  await startHttp();
});

test("a grant has the tools that it names and no others", async () => {
  await until("everything", "ready");
  const token = await issueToken(journal, "1736380800000", ["everything.echo", "get_resource"]);
  await using own = await connect(server.url, token);
  const { tools } = await own.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["get_resource", "everything.echo"]);
  expect(await callTool(own, "everything.get-env", {})).toMatchObject({
    isError: true,
    text: expect.stringContaining('no tool "everything.get-env" here'),
  });
});

describe("apps", () => {
  test("the example's tools can be called", async () => {
    await until("units", "ready");
    const result = await client.callTool({ name: "units.convert", arguments: { value: 1, from: "mile", to: "km" } });
    expect(result.structuredContent).toEqual({ value: 1.609344, unit: "km" });
    expect((await callTool(client, "units.table", {})).text).toContain("mile: 1609.344 m");
    expect(await callTool(client, "units.convert", { value: 1, from: "parsec", to: "km" })).toMatchObject({
      isError: true,
      text: expect.stringContaining("wrong arguments: from"),
    });
    const convert = (await client.listTools()).tools.find(({ name }) => name === "units.convert");
    expect(convert).toMatchObject({
      annotations: { readOnlyHint: true },
      inputSchema: { required: expect.any(Array) },
    });
  });

  test("of a broken one each bad module is named, and the good ones work", async () => {
    await until("bad", "ready");
    const source = (await readToolCatalog(journal)).sources.find(({ name }) => name === "bad");
    expect(source?.tools).toEqual(["bad.fine"]);
    expect(source?.problems.toSorted()).toEqual([
      expect.stringMatching(/^empty\.ts is left out: it exports no tool/),
      expect.stringMatching(/^fine\.js is left out: the tool "fine" is in again\.js already/),
      expect.stringMatching(/^syntax\.ts is left out: .+, in line 1$/),
      "throws.js is left out: not today",
      expect.stringMatching(/^waits\.ts is left out: its import isn't done after/),
    ]);
    expect(await callTool(client, "bad.fine", {})).toEqual({ text: "fine", isError: false });
  });

  test("one that leads out of the journal isn't loaded", async () => {
    await until("outsider", "ready", (problems) => problems.some((problem) => problem.includes("is outside")));
    const source = (await readToolCatalog(journal)).sources.find(({ name }) => name === "outsider");
    expect(source?.tools).toEqual([]);
  });

  test("a tool that exits, dies or prints hurts itself alone", async () => {
    await until("wild", "ready");
    expect(await callTool(client, "wild.count", {})).toEqual({ text: "1", isError: false });
    expect(await callTool(client, "wild.leave", {})).toMatchObject({ isError: true });
    expect(await callTool(client, "wild.talk", {})).toEqual({ text: "said", isError: false });
    expect(await callTool(client, "wild.count", {})).toEqual({ text: "2", isError: false });
    expect(await callTool(client, "wild.die", {})).toMatchObject({ isError: true });
    expect(await callTool(client, "wild.count", {})).toEqual({ text: "1", isError: false });
  });

  test("a change is taken up, and so is the end of an app", async () => {
    writeApp("fresh", "a.ts", 'export default { description: "A.", run: () => "old" };');
    await until("fresh", "ready", (_, tools) => tools.includes("fresh.a"));
    writeApp("fresh", "b.ts", 'export default { description: "B.", run: () => "new" };');
    await until("fresh", "ready", (_, tools) => tools.includes("fresh.b"));
    expect(await callTool(client, "fresh.b", {})).toEqual({ text: "new", isError: false });
    rmSync(join(journal, "apps/fresh"), { recursive: true });
    await until("fresh", "gone");
    expect(await callTool(client, "fresh.b", {})).toMatchObject({ isError: true });
  });
});

test("settings are followed: one more server, one less, and a broken file changes nothing", async () => {
  await until("fixture", "ready");
  const { text: pid } = await callTool(client, "fixture.pid", {});
  settings.mcp_servers = { ...settings.mcp_servers, more: fixture };
  writeSettings();
  await until("more", "ready");
  expect((await callTool(client, "fixture.pid", {})).text).toBe(pid);
  const { more: _, ...rest } = settings.mcp_servers;
  settings.mcp_servers = rest;
  writeSettings();
  await until("more", "gone");
  writeFileSync(join(journal, "cortex.json"), '{"mcp_servers": {"fixture": {}}}');
  await vi.waitUntil(() => server.stderr().includes("expected one of url and command"), { timeout: patienceMs });
  expect((await callTool(client, "fixture.pid", {})).text).toBe(pid);
  writeSettings();
});

test("programs that a killed mcp-tools leaves behind are stopped by the next one", async () => {
  const deaf = makeJournal();
  writeFileSync(
    join(deaf.journal, "cortex.json"),
    JSON.stringify({ mcp_servers: { deaf: { command: [...fixture.command, "deaf"] } } }),
  );
  const left = async () =>
    JSON.parse(readFileSync(join(deaf.journal, ".run/outside/server-deaf.json"), "utf8")) as { pid: number };
  const first = await startTools(deaf.journal);
  const isReady = async () => (await readToolCatalog(deaf.journal)).sources[0]?.state === "ready";
  await vi.waitUntil(isReady, { timeout: patienceMs });
  const { pid } = await left();
  const ended = once(first.child, "exit");
  first.child.kill("SIGKILL");
  await ended;
  expect(identifyProcess(pid)).not.toBeNull();
  await using second = await startTools(deaf.journal);
  await vi.waitUntil(() => identifyProcess(pid) === null, { timeout: patienceMs });
  await vi.waitUntil(() => second.stderr().includes("stopped what an earlier mcp-tools left"), { timeout: patienceMs });
  await second.stop();
  deaf[Symbol.dispose]();
});
