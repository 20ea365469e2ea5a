/** Claude Code under `cortex up`: its calls go through the gateway, to a server that plays Anthropic's, and its limits hold. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import { agentOf } from "../../proc/runs/run.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { runCortex } from "../scripts/run-command.ts";
import { ownPort } from "../support/network/own-port.ts";
import { playClaudeApi } from "../support/providers/claude-api.ts";
import { playedUsage } from "../support/providers/played.ts";
import { UpJournal } from "../supervisor/up-process.ts";
import { usageIn } from "./metered-system.ts";

const key = "sk-ant-test-0123456789abcdef";
let lastId = Date.now() - 60_000;

async function ask(journal: UpJournal, fields: Record<string, unknown>): Promise<string> {
  const id = String(++lastId);
  await using bus = await journal.client();
  const request = { ts: Number(id), prompt: "hello", backend: "claude", facet: "garden", ...fields };
  bus.connection.publish("cortex.request", JSON.stringify(request));
  await bus.connection.flush();
  return id;
}

async function ended(journal: UpJournal, id: string): Promise<AgentEvent[]> {
  await journal.until(() => journal.hasEnded(id), `run ${id} has ended`);
  return journal.file(id);
}

test("Claude Code's calls are metered: the key is the gateway's, the usage cortex's, and a limit ends it in time", async () => {
  const held = Promise.withResolvers<void>();
  const call = { tool: "Read", args: { file_path: "notes.md" } };
  await using server = await playClaudeApi([
    { turn: { calls: [call] } },
    { after: held.promise, turn: { text: "Roses." } },
    { turn: { calls: [call] } },
    { turn: { text: "This is never asked for." } },
  ]);
  await using journal = new UpJournal({}, { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url });
  mkdirSync(join(journal.path, "facets/garden"), { recursive: true });
  writeFileSync(join(journal.path, "facets/garden/facet.json"), "{}");
  writeFileSync(join(journal.path, "facets/garden/notes.md"), "roses");
  await journal.start().isUp();
  const gateway = readEndpoints(journal.path)?.["gateway_url"];
  expect(gateway).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

  const first = await ask(journal, { record: true });
  await journal.until(() => server.requests.length === 2, "its second call is made");
  const agent = await journal.until(() => agentOf(attemptFolder(journal.path, first, 1)), "its process");
  if (process.platform === "linux") {
    const environment = readFileSync(`/proc/${agent.pid}/environ`, "utf8");
    expect(environment).toContain(`ANTHROPIC_BASE_URL=${String(gateway)}/anthropic`);
    expect(environment).not.toContain(key);
  }
  held.resolve();
  const events = await ended(journal, first);
  expect(events.findLast(({ event }) => event === "finish")).toMatchObject({ result: "Roses." });
  expect(server.requests.map(({ headers }) => headers["x-api-key"])).toEqual([key, key]);
  const used = { input_tokens: playedUsage.input, output_tokens: playedUsage.output, purpose: "metered" };
  expect(usageIn(events)).toMatchObject([used, used]);
  const recorded = join(journal.path, "runs", new Date(Number(first)).toISOString().slice(0, 10).replaceAll("-", ""));
  expect(readFileSync(join(recorded, `${first}.calls/1.json`), "utf8")).toContain("hello");

  const second = await ask(journal, { max_total_tokens: playedUsage.input });
  const stopped = await ended(journal, second);
  expect(stopped.findLast(({ event }) => event === "error")).toMatchObject({
    reason: "budget",
    error: expect.stringContaining("max_total_tokens"),
  });
  expect(server.requests).toHaveLength(3);
  expect(usageIn(stopped)).toHaveLength(1);

  const { stdout } = await runCortex(journal.path, ["doctor", "--json"], { ANTHROPIC_API_KEY: key });
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  expect(checks).toContainEqual({ name: "gateway", ok: "ok", detail: expect.stringContaining(String(gateway)) });
});

test("Claude Code tries a call again whose gateway was killed in the middle, and the lost one counts as an estimate", async () => {
  const never = Promise.withResolvers<void>();
  await using server = await playClaudeApi([
    { after: never.promise, turn: { text: "Nobody hears this." } },
    { turn: { text: "Roses." } },
  ]);
  await using journal = new UpJournal(
    {},
    { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url, CORTEX_GATEWAY_PORT: String(await ownPort()) },
  );
  mkdirSync(join(journal.path, "facets/garden"), { recursive: true });
  writeFileSync(join(journal.path, "facets/garden/facet.json"), "{}");
  await journal.start().isUp();
  const id = await ask(journal, {});
  await journal.until(() => server.requests.length === 1, "its call is under way");
  journal.kill("gateway");
  const events = await ended(journal, id);
  never.resolve();
  expect(events.findLast(({ event }) => event === "finish")).toMatchObject({ result: "Roses." });
  expect(server.requests).toHaveLength(2);
  expect(usageIn(events)).toMatchObject([
    { estimated: true, finish_reason: "error" },
    { input_tokens: playedUsage.input, output_tokens: playedUsage.output },
  ]);
});

test("cortex up keeps the gateway running, at the same address, and doctor says what can't be metered", async () => {
  await using journal = new UpJournal({ default_backend: "claude" }, { CORTEX_GATEWAY_PORT: String(await ownPort()) });
  await journal.start().isUp();
  const before = readEndpoints(journal.path)?.["gateway_url"];
  journal.kill("gateway");
  await journal.until(() => journal.program("gateway")?.restarts === 1 && journal.isReady("gateway"), "it is back");
  expect(readEndpoints(journal.path)?.["gateway_url"]).toBe(before);
  expect(await (await fetch(`${String(before)}/health`)).json()).toEqual({ ok: true, pid: journal.pids()["gateway"] });
  const { stdout } = await runCortex(journal.path, ["doctor", "--json"]);
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] };
  const found = checks.find(({ name }) => name === "gateway");
  expect(found).toMatchObject({ ok: "warn", detail: expect.stringContaining("can't be metered") });
});
