/** `cortex-request` as its user sees it: what it takes for a prompt, and how it is broken off. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { execa } from "execa";
import { openBus } from "../../../bus/connection/connect.ts";
import { requestStream } from "../../../bus/jetstream/streams.ts";
import { addressAs, readBusAccess, writeEndpoints } from "../../../journal/access/endpoints.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { runCortex } from "../run-command.ts";
import { patienceMs } from "../../support/patience.ts";

const patient = { timeout: patienceMs };

const system = await CortexSystem.start({ settings: fixtureAgents("scripted") });
afterAll(() => system[Symbol.asyncDispose]());
const { journal } = system;
const access = readBusAccess(journal);
const credentials = { nats_user: "client", nats_token: access?.passwords["client"] ?? "" };
await writeEndpoints(journal, { nats_url: access?.url ?? "", ...credentials, pid: process.pid });

test("any field of a request can be set, the prompt as well", patient, async () => {
  const asked = await runCortex(journal, ["request", "--set", "prompt=by name", "--set", "max_turns=3"]);
  expect(asked).toMatchObject({ code: 0, stdout: "echo: by name" });
  const both = await runCortex(journal, ["request", "--set", "prompt=by name", "and this"]);
  expect(both).toMatchObject({ code: 2, stdout: "" });
  expect(both.stderr).toContain('two prompts: --set prompt and "and this"');
});

test.each([
  ["budget", 4, [{ ev: { event: "usage", input_tokens: 5, cost_usd: 0 } }, { hear: true }], ["max_total_tokens=5"]],
  ["timeout", 5, [{ hear: true }], ["timeout_seconds=0.5"]],
  ["idle", 5, [{ hear: true }], ["idle_timeout_seconds=0.5"]],
  ["crash", 1, [{ exit: 0 }], []],
  ["config", 2, [], ["persona=nobody"]],
] as const)("a run that ends by %s is exit code %d", patient, async (reason, code, steps, fields) => {
  const set = fields.flatMap((field) => ["--set", field]);
  const asked = await runCortex(journal, ["request", "--json", ...set, JSON.stringify(steps)]);
  const last = JSON.parse(asked.stdout.trim().split("\n").at(-1) ?? "");
  expect([last.event, last.reason, asked.code]).toEqual(["error", reason, code]);
});

test("Ctrl-C before cortex has answered cancels the run all the same", patient, async () => {
  if (!access) throw new Error("no bus");
  await using bus = await openBus(addressAs(access, "cortex"), "cortex", patienceMs);
  const { streams } = await bus.manager();
  const stored = async () => (await streams.info(requestStream)).state.messages;
  const before = await stored();
  const bin = fileURLToPath(new URL("../../../bin/cortex-request.js", import.meta.url));
  const env = { PATH: process.env["PATH"] ?? "", HOME: journal, JOURNAL_PATH: journal };
  process.kill(system.pid, "SIGSTOP");
  // An agent that waits to be told something: it doesn't end by itself.
  const asking = execa(process.execPath, [bin, '[{"hear":true}]'], { env, extendEnv: false, reject: false });
  try {
    await system.until(async () => (await stored()) > before, "the request is stored");
    asking.kill("SIGINT");
    await Promise.race([once(asking.stderr, "data"), asking]);
  } finally {
    process.kill(system.pid, "SIGCONT");
  }
  const { exitCode, stderr } = await asking;
  expect(exitCode).toBe(130);
  const agentId = /cancelling (\d{13})/.exec(stderr)?.[1] ?? "";
  expect((await system.settled(agentId)).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
});

test("a journal that can't be used is told with its path", async () => {
  const broken = mkdtempSync(join(tmpdir(), "cortex-broken-"));
  try {
    writeFileSync(join(broken, ".run"), "");
    const up = await runCortex(broken, ["up"]);
    expect(up.code).toBe(2);
    expect(up.stderr).toContain(join(broken, ".run"));
    expect(up.stderr).not.toContain("defect");
  } finally {
    rmSync(broken, { recursive: true });
  }
});

test("a prompt that the bus doesn't take is refused with its size and the limit", patient, async () => {
  const file = join(journal, "long.txt");
  // Each line end takes two bytes as it is sent.
  writeFileSync(file, `x${"\n".repeat(1_000_000)}x`);
  const bin = fileURLToPath(new URL("../../../bin/cortex-request.js", import.meta.url));
  const env = { PATH: process.env["PATH"] ?? "", HOME: journal, JOURNAL_PATH: journal };
  const asked = await execa(process.execPath, [bin, "-"], { env, extendEnv: false, reject: false, inputFile: file });
  expect(asked).toMatchObject({ exitCode: 2, stdout: "" });
  expect(asked.stderr).toMatch(/the request has 20\d{5} bytes as it is sent, and the bus takes at most 1047552/);
});
