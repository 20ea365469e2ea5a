/** Real external servers over stdio and HTTP, also when they die; broken apps; what a killed tool server leaves behind. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import { identifyProcess } from "../../../proc/processes/identity.ts";
import { freePort } from "../../../proc/os/free-port.ts";
import { callTool, makeJournal, startTools } from "../tools-server.ts";
import { patienceMs } from "../../support/patience.ts";
import { everything, fixture, path, ToolboxSystem } from "./toolbox-system.ts";

const filesystem = path("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");

const toolbox = new ToolboxSystem();
const { journal } = toolbox;
let http: ChildProcess;
let port: number;

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
  toolbox.writeApp("bad", "syntax.ts", "export default {");
  toolbox.writeApp("bad", "throws.js", 'throw new Error("not today");');
  toolbox.writeApp("bad", "empty.ts", "export const x = 1;");
  toolbox.writeApp("bad", "waits.ts", "await new Promise(() => setInterval(() => {}, 1000));");
  toolbox.writeApp("bad", "fine.js", 'export default { description: "Fine.", run: () => "fine" };');
  toolbox.writeApp("bad", "again.js", 'export default { name: "fine", description: "Fine.", run: () => "fine" };');
  toolbox.writeApp("outsider", "x.ts", "");
  rmSync(join(journal, "apps/outsider"), { recursive: true });
  symlinkSync(path("examples/apps/units"), join(journal, "apps/outsider"));
  await startHttp();
  toolbox.configure({
    everything: { command: [process.execPath, everything, "stdio"] },
    filesystem: { command: [process.execPath, filesystem, journal] },
    remote: { url: `http://127.0.0.1:${port}/mcp`, headers: { "X-Own": "1" } },
  });
  await toolbox.start();
});
afterAll(async () => {
  await toolbox[Symbol.asyncDispose]();
  http.kill("SIGKILL");
});

test("the tools of real servers pass through with their schemas, over stdio and over HTTP", async () => {
  await toolbox.until("everything", "ready");
  await toolbox.until("filesystem", "ready");
  await toolbox.until("remote", "ready");
  const { tools } = await toolbox.client.listTools();
  for (const server of ["everything", "remote"]) {
    const sum = tools.find(({ name }) => name === `${server}.get-sum`);
    expect(sum?.inputSchema.properties).toHaveProperty("a");
    expect((await callTool(toolbox.client, `${server}.get-sum`, { a: 2, b: 3 })).text).toContain("5");
    const image = await toolbox.client.callTool({ name: `${server}.get-tiny-image`, arguments: {} });
    expect(image.content).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }));
    const weather = await toolbox.client.callTool({
      name: `${server}.get-structured-content`,
      arguments: { location: "New York" },
    });
    expect(weather.structuredContent).toHaveProperty("temperature");
  }
  expect(tools.find(({ name }) => name === "filesystem.read_text_file")?.annotations?.readOnlyHint).toBe(true);
  writeFileSync(join(journal, "note.txt"), "a note");
  expect((await callTool(toolbox.client, "filesystem.read_text_file", { path: join(journal, "note.txt") })).text).toBe(
    "a note",
  );
  expect(await callTool(toolbox.client, "filesystem.read_text_file", { path: "/etc/hostname" })).toMatchObject({
    isError: true,
  });
});

test("an HTTP server that was restarted has forgotten us, and the next call doesn't notice", async () => {
  await toolbox.until("remote", "ready");
  const ended = once(http, "exit");
  http.kill("SIGKILL");
  await ended;
  await startHttp();
  await toolbox.until("remote", "ready"); // where the end was noticed, it is connected again after a while
  expect(await callTool(toolbox.client, "remote.echo", { message: "again" })).toEqual({
    text: "Echo: again",
    isError: false,
  });
});

test("an HTTP server that dies while it works gives an error", async () => {
  await toolbox.until("remote", "ready");
  const atWork = Promise.withResolvers<void>();
  const long = { name: "remote.trigger-long-running-operation", arguments: { duration: 60, steps: 600 } };
  const calling = toolbox.client.callTool(long, CallToolResultSchema, { onprogress: () => atWork.resolve() });
  await atWork.promise;
  http.kill("SIGKILL");
  // Which of the two is noticed first is chance: the answer that breaks off, or the connection.
  expect(await calling).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringMatching(/went away|closed/) }],
  });
  await startHttp();
});

test("of a broken app each bad module is named, and the good ones work", async () => {
  await toolbox.until("bad", "ready");
  const source = (await readToolCatalog(journal)).sources.find(({ name }) => name === "bad");
  expect(source?.tools).toEqual(["bad.fine"]);
  expect(source?.problems.toSorted()).toEqual([
    expect.stringMatching(/^empty\.ts is left out: it exports no tool/),
    expect.stringMatching(/^fine\.js is left out: the tool "fine" is in again\.js already/),
    expect.stringMatching(/^syntax\.ts is left out: .+, in line 1$/),
    "throws.js is left out: not today",
    expect.stringMatching(/^waits\.ts is left out: its import isn't done after/),
  ]);
  expect(await callTool(toolbox.client, "bad.fine", {})).toEqual({ text: "fine", isError: false });
});

test("an app that leads out of the journal isn't loaded", async () => {
  await toolbox.until("outsider", "ready", (problems) => problems.some((problem) => problem.includes("is outside")));
  const source = (await readToolCatalog(journal)).sources.find(({ name }) => name === "outsider");
  expect(source?.tools).toEqual([]);
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
