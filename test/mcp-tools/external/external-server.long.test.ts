import { fileURLToPath } from "node:url";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ExternalServer } from "../../../mcp-tools/external/external-server.ts";
import type { ServerTimes } from "../../../mcp-tools/external/server-times.ts";
import { serverSpecs } from "../../../mcp-tools/external/server-specs.ts";
import { identifyProcess } from "../../../proc/processes/identity.ts";
import { logOf } from "../../../proc/logging/log.ts";
import type { McpServer } from "../../../protocol/settings/settings.ts";
import { makeJournal } from "../tools-server.ts";
import { patienceMs } from "../../support/patience.ts";

const program = fileURLToPath(new URL("../../fixtures/mcp/server.ts", import.meta.url));
const open: ExternalServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server[Symbol.asyncDispose]()));
});
const { journal } = makeJournal();

/** A server that runs the fixture in these modes. */
function start(modes: string[] = [], times: Partial<ServerTimes> = {}, own: Partial<McpServer> = {}): ExternalServer {
  const declared = { command: [process.execPath, program, ...modes], ...own };
  const env = { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "sk-ours", JOURNAL_PATH: journal };
  const [wanted] = serverSpecs(journal, env, { mcp_servers: { fixture: declared } }, []);
  if (!wanted) throw new Error("no server is wanted");
  const log = logOf("test");
  log.level = "silent";
  const server = new ExternalServer({
    ...wanted,
    times: { wait: 25_000, ...wanted.times, ...times },
    log,
    onChange: () => {},
  });
  open.push(server);
  return server;
}

const until = (server: ExternalServer, state: string) =>
  vi.waitUntil(() => server.state === state, { timeout: patienceMs, interval: 5 });

const progress: unknown[][] = [];
const reporter = { signal: new AbortController().signal, progress: (...word: unknown[]) => void progress.push(word) };

const named = (name: string) => ({ name, inputSchema: { type: "object" as const } });

async function call(server: ExternalServer, tool: string, { signal = reporter.signal, args = {} } = {}) {
  const { content, isError } = CallToolResultSchema.parse(
    await server.call(named(tool), args, { ...reporter, signal }),
  );
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", isError: isError === true };
}

const lives = (pid: string) => identifyProcess(Number(pid)) !== null;

test("a call waits for a server that is being connected", async () => {
  const server = start();
  expect(server.state).toBe("connecting");
  expect(await call(server, "pid")).toMatchObject({ isError: false, text: expect.stringMatching(/^\d+$/) });
  expect(server.source).toMatchObject({ state: "ready", error: null, problems: [] });
  expect(server.source.tools).toContain("fixture.pid");
});

test("an answer that is nested too deep is cut, and the server goes on", async () => {
  const server = start();
  const { text: pid } = await call(server, "pid");
  const { structuredContent, content } = await server.call(named("deep"), {}, reporter);
  expect(content).toContainEqual({ type: "text", text: "deep" });
  expect(JSON.stringify(structuredContent)).toMatch(/^\{"a":\[{50,64}"\[nested too deep\]"\]+\}$/);
  expect((await call(server, "pid")).text).toBe(pid);
});

test("a server that is killed in the middle of a call gives an error, and the next call has a new one", async () => {
  const server = start();
  const { text: pid } = await call(server, "pid");
  const calling = call(server, "never");
  process.kill(Number(pid), "SIGKILL");
  expect(await calling).toMatchObject({
    isError: true,
    text: expect.stringContaining('fixture.never failed: the server "fixture" went away'),
  });
  const { text: next, isError } = await call(server, "pid");
  expect(isError).toBe(false);
  expect(next).not.toBe(pid);
});

test("a server that hangs is found by its silence, killed, and started again", async () => {
  const server = start([], { pingEvery: 50, ping: 3_000 });
  const { text: pid } = await call(server, "pid");
  expect(await call(server, "spin")).toMatchObject({ isError: true, text: expect.stringContaining("went away") });
  expect((await call(server, "pid")).text).not.toBe(pid);
  await vi.waitUntil(() => !lives(pid), patienceMs);
});

test("a call that is never answered ends, and is told about, and the server goes on", async () => {
  const server = start([], { call: 2_000 });
  const { text: pid } = await call(server, "pid");
  expect(await call(server, "never")).toEqual({ isError: true, text: "fixture.never failed: no answer within 2 s" });
  expect(server.source.problems).toEqual(["the last call of never got no answer within 2 s"]);
  expect((await call(server, "pid")).text).toBe(pid);
});

test("a call that tells of its progress may take longer, and its words are passed on", async () => {
  const server = start([], { call: 2_500 });
  progress.length = 0;
  const args = { steps: 5, everyMs: 500 };
  expect(await call(server, "work", { args })).toEqual({ isError: false, text: "worked" });
  // The SDK's client forgets who listens when the answer arrives, which may be in one piece with the last words.
  expect(progress.length).toBeGreaterThan(0);
  expect(progress).toEqual([1, 2, 3, 4, 5].slice(0, progress.length).map((step) => [step, 5, undefined]));
});

test("a call that is cancelled ends at once", async () => {
  const server = start();
  await call(server, "pid");
  const cancel = new AbortController();
  const calling = call(server, "never", { signal: cancel.signal });
  cancel.abort();
  await expect(calling).rejects.toThrow(/abort/i);
});

test("a message without end costs the connection, and no memory", async () => {
  const server = start();
  expect(await call(server, "flood")).toMatchObject({ isError: true, text: expect.stringContaining("went away") });
  expect(await call(server, "pid")).toMatchObject({ isError: false });
});

test("tools that it adds later are offered, however often it says so", async () => {
  const server = start();
  await call(server, "grow");
  await vi.waitUntil(() => server.source.tools.includes("fixture.grown"), { timeout: patienceMs });
  expect(await call(server, "pid")).toMatchObject({ isError: false });
});

test("tools that can't be used are left out, each with its reason", async () => {
  const server = start(["hostile"]);
  await until(server, "ready");
  expect(server.source.tools).toHaveLength(10);
  expect(server.source.problems).toEqual([
    expect.stringContaining('tool "../up" is left out: its name'),
    expect.stringContaining('tool "pid" is left out: another tool'),
    expect.stringContaining('tool "no-schema" is left out: it isn\'t described'),
    expect.stringContaining('tool "no tool at all" is left out'),
    expect.stringContaining('tool "vast" is left out: its schemas have'),
  ]);
});

test("its environment is what everybody may know and what the settings give it", async () => {
  const server = start([], {}, { env: { OWN: "1" } });
  const env = JSON.parse((await call(server, "env")).text) as Record<string, string>;
  expect(env).toMatchObject({ OWN: "1", PATH: process.env["PATH"] });
  expect(env).not.toHaveProperty("ANTHROPIC_API_KEY");
  expect(env).not.toHaveProperty("JOURNAL_PATH");
});

describe("a server that can't be had", () => {
  const times = { backoff: [0, 60_000] };

  test.each([
    ["ends with what it said", ["fails"], {}, "it exited with code 7: out of paper"],
    ["never answers", ["silent"], {}, "it didn't answer within 0.3 s"],
    ["isn't installed", [], { command: ["nonsuch"] }, 'its program "nonsuch" is neither'],
    ["has no folder", [], { cwd: "nowhere" }, /its cwd ".*nowhere" is not a folder/],
    ["listens nowhere", [], { command: undefined, url: "http://127.0.0.1:1/mcp" }, /bad port|ECONNREFUSED/],
  ])("%s: it is failed, says why, and so do its calls", async (_, modes, own, why) => {
    const server = start(modes, modes[0] === "silent" ? { ...times, connect: 300 } : times, own);
    await until(server, "failed");
    expect(server.source.error).toMatch(why);
    const { text, isError } = await call(server, "pid");
    expect(isError).toBe(true);
    expect(text).toMatch(/the server "fixture" is not available\. .*Go on without it/);
  });

  test("tells no secret that it was given, also when it prints it", async () => {
    const command = ["/bin/sh", "-c", 'echo "bad key $KEY" >&2; exit 1'];
    const server = start([], times, { command, env: { KEY: "hunter-12345" } });
    await until(server, "failed");
    expect(server.source.error).toBe("it exited with code 1: bad key ***");
  });

  test("is tried again", async () => {
    const server = start(["fails"], { backoff: [0, 10] });
    await until(server, "failed");
    await vi.waitUntil(() => server.source.error?.includes("out of paper"), patienceMs);
    expect(server.source.error).toBe("it exited with code 7: out of paper");
  });
});

test("what it has started ends with it, also when it won't hear", async () => {
  const server = start(["deaf"]);
  const { text: pid } = await call(server, "pid");
  const { text: child } = await call(server, "child");
  expect([lives(pid), lives(child)]).toEqual([true, true]);
  await server[Symbol.asyncDispose]();
  // Killed with it, the child dies when its turn comes.
  await vi.waitUntil(() => !lives(pid) && !lives(child), patienceMs);
});
