import { execa } from "execa";
import { expect, test } from "vitest";
import { packageFile } from "../../proc/programs/package-file.ts";
import { AgentProcess } from "../support/backends/agent-process.ts";
import { startToolServer } from "../support/tool-server.ts";

const offline = (prompt: string, more = {}) => ({ prompt, backend: "offline", ...more });
const prompts = (agent: AgentProcess) => agent.named("start").map(({ prompt }) => prompt);

/** A server whose search never returns: a run that is still at work. */
const startSlowServer = () =>
  startToolServer({
    register: (mcp) => {
      mcp.registerTool("search_journal", {}, async ({ signal }) => {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return { content: [] };
      });
    },
  });

test("one line in a pipe is one run, and the process ends with the input", async () => {
  await using agent = new AgentProcess();
  agent.end('{"prompt":"hi","backend":"offline"}');
  expect(await agent.exit()).toBe(0);
  expect(agent.events.map(({ event }) => event)).toEqual(["start", "usage", "finish"]);
  expect(agent.stderr).toBe("");
});

test("--help says what goes in and what comes out, whether or not stdin ends", async () => {
  const { stdout } = await execa(process.execPath, [packageFile("bin/cortex-agent.js"), "--help"], { stdin: "pipe" });
  expect(stdout).toMatch(/^Usage: cortex-agent\n/);
});

test("several lines run one after the other, and an error in one doesn't stop the next", async () => {
  await using agent = new AgentProcess();
  agent.write(
    offline("one"),
    { prompt: "two", backend: "opnai" },
    "",
    "garbage",
    "[1]",
    { persona: "default" },
    offline(" "),
  );
  agent.write({ prompt: 7 }, offline("three")).end();
  expect(await agent.exit()).toBe(1);
  expect(prompts(agent)).toEqual(["one", "three"]);
  expect(agent.events.filter(({ event }) => event === "finish" || event === "error")).toMatchObject([
    { event: "finish" },
    {
      event: "error",
      reason: "config",
      error: expect.stringMatching(/^cannot start backend "opnai": known backends are .*offline$/),
    },
    { event: "error", reason: "config", error: 'cannot run: a line isn\'t JSON: "garbage"' },
    { event: "error", reason: "config", error: 'cannot run: a line isn\'t a JSON object: "[1]"' },
    { event: "error", reason: "config", error: "cannot run: prompt: expected string, got nothing" },
    { event: "error", reason: "config", error: "cannot run: prompt: expected text, not blank" },
    { event: "error", reason: "config", error: "cannot run: prompt: expected string, got 7" },
    { event: "finish" },
  ]);
});

test("null means absent", async () => {
  await using agent = new AgentProcess();
  agent.write(offline("hi", { model: null, tools: null, mcp_server_url: null })).end();
  expect(await agent.exit()).toBe(0);
});

test("a line is split at LF alone, and text comes back as it went in", async () => {
  const prompt = "a\u2028b\u2029c\u0085d\r\ne \u{1F331} \ud800";
  await using agent = new AgentProcess();
  agent.write(JSON.stringify(offline(prompt)).replace("\\u2028", "\u2028")).end();
  expect(await agent.exit()).toBe(0);
  expect(prompts(agent)).toEqual([prompt]);
});

test("a prompt of 5 MB is read", async () => {
  await using agent = new AgentProcess();
  agent.write(offline("garden ".repeat(750_000))).end();
  expect(await agent.exit()).toBe(0);
  expect(agent.named("finish")).toHaveLength(1);
  expect(String(prompts(agent)[0]).length).toBe(1024 * 1024);
});

test("a run of cortex ends its process, though stdin stays open", async () => {
  await using agent = new AgentProcess();
  agent.write(offline("hi", { agent_id: "1736380800000" }));
  expect(await agent.exit()).toBe(0);
  expect(agent.named("finish")).toHaveLength(1);
});

test("cancel ends the run that is going on, and not the one after it", async () => {
  await using server = await startSlowServer();
  await using agent = new AgentProcess();
  agent.write(offline("garden", { mcp_server_url: server.url }));
  await agent.until(({ event }) => event === "tool_start");
  agent.write({ type: "cancel" }, offline("next")).end();
  expect(await agent.exit()).toBe(1);
  expect(agent.events.map(({ event }) => event)).toEqual([
    "start",
    "usage",
    "tool_start",
    "tool_end",
    "error",
    "start",
    "usage",
    "finish",
  ]);
  expect(agent.named("error")).toMatchObject([{ error: "cancelled", reason: "cancelled" }]);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s cancels the run, and none is begun after it", async (signal) => {
  await using server = await startSlowServer();
  await using agent = new AgentProcess();
  agent.write(offline("garden", { mcp_server_url: server.url }), offline("next"));
  await agent.until(({ event }) => event === "tool_start");
  agent.child.kill(signal);
  expect(await agent.exit()).toBe(1);
  expect(agent.events.at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  expect(prompts(agent)).toEqual(["garden"]);
});

test("input is heard by the run that is going on", async () => {
  await using server = await startToolServer({
    register: (mcp) =>
      void mcp.registerTool("search_journal", {}, () => ({ content: [{ type: "text", text: "a.md:1: oak" }] })),
  });
  await using agent = new AgentProcess();
  agent.write(offline("roses", { mcp_server_url: server.url }), { type: "input", text: "tulips instead" }).end();
  expect(await agent.exit()).toBe(0);
  expect(agent.named("finish")[0]?.["result"]).toContain("about tulips");
  expect(agent.named("input")).toEqual([]);
});

test("a line that is not for a run is passed over, with a note on stderr", async () => {
  await using agent = new AgentProcess();
  agent.write({ type: "cancel" }, offline("hi")).end();
  expect(await agent.exit()).toBe(0);
  expect(JSON.parse(agent.stderr)).toMatchObject({ level: "warn", msg: "nothing is running: cancel is passed over" });
});

test("a second configuration isn't run in the process of a first with an id, and doesn't end it", async () => {
  await using server = await startSlowServer();
  await using agent = new AgentProcess();
  agent.write(offline("garden", { agent_id: "1736380800000", mcp_server_url: server.url }), offline("next"), "{", {
    type: "cancel",
  });
  expect(await agent.exit()).toBe(1);
  expect(prompts(agent)).toEqual(["garden"]);
  expect(agent.events.at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
});

test("a reader that has left ends the process quietly", async () => {
  await using agent = new AgentProcess();
  agent.child.stdout?.destroy();
  agent.write(offline("x".repeat(1_000_000)), offline("x".repeat(1_000_000)));
  expect(await agent.exit()).toBe(1);
  expect(agent.stderr).toBe("");
});

test("each event has the time at which it was said", async () => {
  await using agent = new AgentProcess();
  const before = Date.now();
  agent.write(offline("hi")).end();
  await agent.exit();
  for (const { ts } of agent.events) {
    expect(ts).toBeGreaterThanOrEqual(before);
    expect(ts).toBeLessThanOrEqual(Date.now());
  }
});

test("a slow reader gets every event before the process leaves", async () => {
  await using agent = new AgentProcess();
  agent.child.stdout?.pause();
  for (let run = 0; run < 20; run++) agent.write(offline(`${run} ${"x".repeat(200_000)}`));
  agent.end();
  agent.child.stdout?.resume();
  expect(await agent.exit()).toBe(0);
  expect(agent.named("finish")).toHaveLength(20);
});
