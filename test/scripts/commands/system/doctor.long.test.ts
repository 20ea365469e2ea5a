import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { LateFailures } from "../../../../journal/channels/late-failures.ts";
import { saveResult } from "../../../../journal/saves/saved-results.ts";
import { writeEndpoints } from "../../../../journal/access/endpoints.ts";
import { findNatsServer } from "../../../../proc/os/find-program.ts";
import { settingsProblem } from "../../../../journal/config/kept-settings.ts";
import { UpJournal } from "../../../supervisor/up-process.ts";
import { pathWithout } from "../../../support/path-without.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";

/** For tests that start the command several times. */
type Finding = { name: string; ok: string; detail: string; remedy?: string };

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "doctor-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

/** Returns its finding about one thing. */
async function finding(
  name: string,
  env: Record<string, string> = {},
  path = journal,
): Promise<Finding & { code: number | undefined }> {
  const { code, document } = await runCortexJson(path, ["doctor"], env);
  const found = (document["checks"] as Finding[]).find((one) => one.name === name);
  if (!found) throw new Error(`no finding of ${name}`);
  return { ...found, code };
}

test("a fresh journal has no problems, and everything is checked", async () => {
  const { code, document } = await runCortexJson(journal, ["doctor"]);
  const checks = document["checks"] as Finding[];
  expect(checks.filter(({ ok }) => ok === "fail")).toEqual([]);
  expect([code, document["ok"]]).toEqual([0, true]);
  expect(checks.map(({ name }) => name)).toEqual([
    "node",
    "nats-server",
    "isolation",
    "sandbox",
    "limits",
    "journal",
    "private",
    "settings",
    "personas",
    "quarantine",
    "deliveries",
    "runs",
    "programs",
    "backend",
    "bus",
    "features",
    "store",
    "tools",
    "sources",
    "gateway",
    "coding agents",
    "telemetry",
    "workspace",
  ]);
});

test.runIf(process.platform === "linux")(
  "a machine without bubblewrap is told what to install, in words and as JSON",
  async () => {
    using bin = pathWithout("bwrap");
    const { document } = await runCortexJson(journal, ["doctor"], { PATH: bin.folder });
    const install = expect.stringMatching(/^sudo .*install.* bubblewrap$/);
    expect(document["sandbox"]).toEqual({ level: "none", missing: ["bubblewrap"], remedy: install });
    const check = (document["checks"] as Finding[]).find(({ name }) => name === "sandbox");
    expect(check).toMatchObject({
      ok: "warn",
      detail: expect.stringContaining("bubblewrap isn't installed"),
      remedy: install,
    });
  },
);

test("doctor prints for people one line each with a mark, and below it the repair", async () => {
  writeFileSync(join(journal, "cortex.json"), '{"max_concurrent": 0}');
  const { code, stdout } = await runCortex(journal, ["doctor"]);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^✓ node +v\d+/m);
  expect(stdout).toMatch(/^✗ settings +.*max_concurrent: expected number to be >0, got 0\n +→ cortex config check$/m);
  expect(stdout).not.toContain("\u001b");
});

test("a nats-server that is too old, or broken, fails with what installs another", async () => {
  const bin = join(journal, "bin");
  mkdirSync(bin);
  const fake = (script: string) => {
    writeFileSync(join(bin, "nats-server"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, "nats-server"), 0o755);
  };
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  fake("echo nats-server: v2.8.4");
  expect(await finding("nats-server", env)).toMatchObject({
    ok: "fail",
    detail: expect.stringContaining("v2.8.4"),
    remedy: expect.stringContaining("nats-server"),
  });
  fake("echo nats-server: v2.10.22");
  expect(await finding("nats-server", env)).toMatchObject({
    ok: "ok",
    detail: `v2.10.22 at ${join(bin, "nats-server")}, supported`,
  });
  fake("exit 1");
  expect(await finding("nats-server", env)).toMatchObject({ ok: "fail" });
});

test("a journal that doesn't exist yet is worth a word, and one that can't be is a failure", async () => {
  expect(await finding("journal", {}, join(journal, "new", "one"))).toMatchObject({
    ok: "warn",
    code: 0,
    remedy: "cortex up",
  });
  writeFileSync(join(journal, "file"), "");
  expect(await finding("journal", { JOURNAL_PATH: join(journal, "file") })).toMatchObject({
    ok: "fail",
    code: 2,
    detail: expect.stringContaining("is not a folder"),
  });
});

test("private folders that others can read fail, with the command that closes them", async () => {
  mkdirSync(join(journal, ".run"), { mode: 0o700 });
  mkdirSync(join(journal, ".state"), { mode: 0o700 });
  expect(await finding("private")).toMatchObject({ ok: "ok" });
  chmodSync(join(journal, ".state"), 0o755);
  writeFileSync(join(journal, ".run", "commands-token"), "x", { mode: 0o644 });
  expect(await finding("private")).toMatchObject({
    ok: "fail",
    code: 2,
    detail: "other users of this machine can read .state, .run/commands-token",
    remedy: "cortex doctor --fix",
  });
});

test("settings that can't be read are private all the same, where they name a secret", async () => {
  const settings = join(journal, "cortex.json");
  writeFileSync(settings, '{ "mcp_servers": { "notes": { "headers": { "Authorization": "Bearer x" } ', { mode: 0o644 });
  expect((await finding("private")).detail).toContain("cortex.json");
  writeFileSync(settings, '{ "max_concurrent": ');
  expect((await finding("private")).detail).not.toContain("cortex.json");
});

test("runs, agents, backups, what runs saved, and settings with a secret are looked at, and --fix closes them", async () => {
  const put = (path: string, text = "x") => {
    mkdirSync(dirname(join(journal, path)), { recursive: true, mode: 0o755 });
    writeFileSync(join(journal, path), text, { mode: 0o644 });
  };
  const modeOf = (path: string) => statSync(join(journal, path)).mode & 0o777;
  put("runs/20250109/1736380800000.jsonl");
  put("agents/attachments/20250109/photo.png");
  put("backups/one.tar.gz");
  put("20250109/by-hand.md");
  await saveResult(journal, "20250109", "digest.md", "one");
  await saveResult(journal, "20250109", "digest.md", "two");
  const kept = ["20250109/digest.md", "20250109/.former/digest.md"];
  for (const path of kept) chmodSync(join(journal, path), 0o644);
  put("cortex.json", '{"bus": {"tls": {"cert": "c", "key": "key.pem", "ca": "ca"}}}');
  const found = await finding("private");
  expect(found).toMatchObject({ ok: "fail", code: 2, remedy: "cortex doctor --fix" });
  expect(found.detail).toMatch(/and 7 more$/);
  put("cortex.json", '{"mcp_servers": {"notes": {"url": "https://example.org", "headers": {"Authorization": "x"}}}}');
  expect((await finding("private")).detail).toMatch(/and 8 more$/);
  const fixed = await runCortexJson(journal, ["doctor", "--fix"]);
  expect(fixed.document["checks"]).toContainEqual(
    expect.objectContaining({
      name: "private",
      ok: "ok",
      detail: expect.stringMatching(/^made private: .* and 8 more/),
    }),
  );
  for (const path of ["cortex.json", "runs/20250109/1736380800000.jsonl", "backups/one.tar.gz", ...kept])
    expect([path, modeOf(path)]).toEqual([path, 0o600]);
  expect(modeOf("agents/attachments")).toBe(0o700);
  expect(modeOf("20250109/by-hand.md")).toBe(0o644);
  expect(await finding("private")).toMatchObject({ ok: "ok", code: 0 });
  chmodSync(journal, 0o755);
  expect(await finding("private")).toMatchObject({ ok: "warn", code: 0, remedy: `chmod go-rwx ${journal}` });
});

test("a message that was lost after its service had accepted it is told for a day", async () => {
  const day = 24 * 3_600_000;
  const lost = { id: "r1-1", external_id: "SM1", status: "undelivered", error: "Twilio: undelivered 30003" };
  const late = new LateFailures(journal, "sms");
  await late.note({ ...lost, ts: Date.now() - 2 * day });
  expect(await finding("deliveries")).toMatchObject({ ok: "ok" });
  await late.note({ ...lost, external_id: "SM2", ts: Date.now() });
  expect(await finding("deliveries")).toMatchObject({
    ok: "warn",
    detail: "accepted by sms, and lost all the same: r1-1: Twilio: undelivered 30003",
    remedy: expect.stringContaining("logs channel-sms"),
  });
});

test("a persona that can't be read fails", async () => {
  mkdirSync(join(journal, "personas"));
  writeFileSync(join(journal, "personas", "chef.txt"), "");
  expect(await finding("personas")).toMatchObject({
    ok: "fail",
    code: 2,
    detail: expect.stringContaining("chef.txt: it is empty"),
    remedy: "cortex persona check",
  });
});

test("the backend that requests get is named, and no key's value is ever shown", async () => {
  expect(await finding("backend")).toMatchObject({ ok: "ok", detail: expect.stringMatching(/^offline by default/) });
  const { stdout } = await runCortex(journal, ["doctor"], {
    ANTHROPIC_API_KEY: "sk-very-secret",
    OPENAI_API_KEY: "sk-very-secret",
  });
  expect(stdout).not.toContain("sk-very-secret");
  writeFileSync(join(journal, "cortex.json"), '{"default_backend": "nobody"}');
  expect(await finding("settings")).toMatchObject({ ok: "fail", detail: expect.stringContaining('"nobody"') });
});

test("doctor asks the running programs: a failed one fails it, and keys are those that they have", async () => {
  const settings = { channels: { webhook: { port: 0, secret_file: "no-secret" }, web: { enabled: false } } };
  await using system = new UpJournal(settings, { ANTHROPIC_API_KEY: "sk-very-secret" });
  const up = system.start();
  await up.isUp();
  await system.until(() => system.program("channel-webhook")?.state === "failed", "the webhook lacks its secret");
  const failed = await finding("programs", {}, system.path);
  expect(failed).toMatchObject({ ok: "fail", code: 2, remedy: expect.stringMatching(/logs channel-webhook$/) });
  expect(failed.detail).toContain("channel-webhook has failed");
  const backend = await finding("backend", { OPENAI_API_KEY: "sk-of-the-shell" }, system.path);
  expect(backend.detail).toContain("keys present: ANTHROPIC_API_KEY, in the environment of the running cortex");
  expect(backend.detail).toContain("this shell has OPENAI_API_KEY, and the running cortex doesn't");
  expect(JSON.stringify(backend)).not.toContain("sk-");
  // Once its secret is there, it comes up by itself.
  writeFileSync(join(system.path, "no-secret"), "a-secret-of-the-tests\n", { mode: 0o600 });
  await system.until(() => system.isReady("channel-webhook"), "the webhook comes up");
  expect(await finding("programs", {}, system.path)).toMatchObject({ ok: "ok" });
  // A slip in the settings takes nothing down, and is told.
  writeFileSync(join(system.path, "cortex.json"), '{"default_backend": "opnai"}');
  await system.until(() => settingsProblem(system.path) !== null, "the programs tell it");
  expect(await finding("programs", {}, system.path)).toMatchObject({
    ok: "fail",
    detail: expect.stringContaining("keep the previous settings: "),
  });
  const status = await runCortex(system.path, ["status"]);
  expect(status.stdout).toContain('there is no backend "opnai": did you mean "openai"?');
  const checked = await runCortex(system.path, ["config", "check"]);
  expect(checked.stdout).toContain('default_backend: there is no backend "opnai": did you mean "openai"?');
});

test("a bus that answers is found, and one that is gone is told apart by whether its cortex lives", async () => {
  const server = spawn(findNatsServer()!, ["-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", journal], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void server.kill());
  const port = await new Promise<number>((resolve) => {
    let text = "";
    server.stderr.on("data", (chunk) => {
      text += chunk;
      const [, found] = /client connections on 127\.0\.0\.1:(\d+)/.exec(text) ?? [];
      if (found) resolve(Number(found));
    });
  });
  const endpoints = { nats_url: `nats://127.0.0.1:${port}`, nats_user: "client", nats_token: "x", pid: process.pid };
  await writeEndpoints(journal, endpoints);
  expect(await finding("bus")).toMatchObject({
    ok: "ok",
    detail: expect.stringMatching(/^nats-server 2\.\S+ answers at nats:\/\/127/),
  });
  expect(await finding("bus", { NATS_URL: `127.0.0.1:${port}` })).toMatchObject({ ok: "ok" });
  server.kill();
  await once(server, "exit");
  expect(await finding("bus")).toMatchObject({ ok: "fail", code: 2 });
  await writeEndpoints(journal, { ...endpoints, pid: server.pid! });
  expect(await finding("bus")).toMatchObject({ ok: "warn", code: 0, remedy: "cortex up" });
  expect(await finding("bus", { NATS_URL: `nats://127.0.0.1:${port}` })).toMatchObject({
    ok: "fail",
    detail: expect.stringContaining("NATS_URL"),
  });
});

test("each thing that differs from version to version is on, or off with what is done instead", async () => {
  const bin = join(journal, "bin");
  mkdirSync(bin);
  const env = { PATH: `${bin}:${process.env["PATH"]}` };
  const serverOf = (version: string) => {
    writeFileSync(join(bin, "nats-server"), `#!/bin/sh\necho nats-server: v${version}\n`);
    chmodSync(join(bin, "nats-server"), 0o755);
  };
  serverOf("2.9.10");
  const old = await finding("features", env);
  expect(old).toMatchObject({ ok: "ok", detail: expect.stringContaining("nats-server 2.9.10: direct_get on") });
  expect(old.detail).toContain("sync_interval off, from 2.10.0 on: the store's folder is made synchronous");
  serverOf("2.15.1");
  expect((await finding("features", env)).detail).not.toContain("off");
  serverOf("2.9.4");
  expect(await finding("features", env)).toMatchObject({ ok: "warn", detail: expect.stringContaining("older than") });
});

test("an option that the running server ignored is told", async () => {
  const live = { worker: "w", running: [], queued: 0, capacity: 1, waiting: [], pid: process.pid };
  mkdirSync(join(journal, ".run"), { mode: 0o700 });
  writeFileSync(
    join(journal, ".run/status.json"),
    JSON.stringify({ ...live, bus_ignores: ["KV_x: max_age is missing"] }),
  );
  expect(await finding("features")).toMatchObject({ ok: "warn", detail: expect.stringContaining("KV_x: max_age") });
});

test("doctor shows whether the bus's store is synchronous, and the risk where it isn't", async () => {
  mkdirSync(join(journal, ".run"), { mode: 0o700 });
  const write = (store: object) => writeFileSync(join(journal, ".run/bus-store.json"), JSON.stringify(store));
  expect(await finding("store")).toMatchObject({
    ok: "ok",
    detail: expect.stringContaining("no server has been started"),
  });
  write({ version: "2.15.1", synced_by: "server", problem: null });
  expect(await finding("store")).toMatchObject({ ok: "ok", detail: expect.stringContaining("sync_interval: always") });
  write({ version: "2.9.10", synced_by: "nobody", problem: "there is no chattr here" });
  expect(await finding("store")).toMatchObject({
    ok: "warn",
    detail: expect.stringMatching(/there is no chattr here.*power cut/),
    remedy: expect.stringContaining("2.10"),
  });
  // The folder says itself that it isn't, whatever was written down.
  write({ version: "2.9.10", synced_by: "folder", problem: null });
  expect(await finding("store")).toMatchObject({ ok: "warn", remedy: expect.stringContaining("chattr -R +S") });
  writeFileSync(join(journal, "cortex.json"), '{"durability": "fast"}');
  expect(await finding("store")).toMatchObject({ ok: "warn", remedy: "cortex up" });
  write({ version: "2.9.10", synced_by: "nobody", problem: null });
  expect(await finding("store")).toMatchObject({ ok: "ok", detail: expect.stringContaining("power cut") });
  expect(await finding("store", { NATS_URL: "nats://127.0.0.1:1" })).toMatchObject({
    ok: "warn",
    detail: expect.stringContaining("can't be checked from here"),
  });
});

test("a port that another program took is named, and is not a failure", async () => {
  const other = createServer((socket) => socket.end("220 hello\r\n")).listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  expect(await finding("tools", { CORTEX_MCP_PORT: String(port) })).toMatchObject({
    ok: "ok",
    detail: expect.stringContaining(`port ${port} is taken by another program, cortex would choose another`),
  });
  await writeEndpoints(journal, {
    nats_url: "nats://127.0.0.1:1",
    nats_user: "",
    nats_token: "",
    mcp_url: `http://127.0.0.1:${port}/mcp`,
    pid: 1,
  });
  expect(await finding("tools")).toMatchObject({ ok: "ok", detail: expect.stringContaining("listens") });
  other.close();
  await once(other, "close");
  expect(await finding("tools")).toMatchObject({ ok: "warn", remedy: "cortex up" });
});
