/** Commands of a tool server that runs as an ordinary user, where this is root: what holds root by other means holds there, too. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { nobody } from "../../support/walled-shell.ts";
import { callTool, connect, startTools, type ToolsServer } from "../tools-server.ts";

const found = await findSandbox();

describe.skipIf(found.level === "none" || process.getuid?.() !== 0)("as an ordinary user", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "as-nobody-")));
  const [journal, work, other] = ["journal", "work", "other"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  const run = "1736380800000";
  let server: ToolsServer;

  beforeAll(async () => {
    for (const folder of [join(journal, ".state"), join(journal, ".run"), work, other])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(other, "draft"), "secret-draft");
    writeFileSync(join(journal, ".run/endpoints.json"), '{"nats_token":"secret-token"}');
    const place = { folder: work, is_walled: true, max_processes: 60, max_memory_mb: 512 };
    token = await issueToken(journal, run, ["bash"], undefined, place);
    all = await commandsToken(journal);
    execFileSync("chown", ["-R", `${nobody}:${nobody}`, root]);
    server = await startTools(journal, { SECRET_KEY: "secret-environment", TMPDIR: root }, nobody);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(root, { recursive: true });
  });
  let token: string;
  let all: string;

  async function bash(command: string): Promise<Record<string, unknown>> {
    await using client = await connect(server.url, token);
    const { text } = await callTool(client, "bash", { command });
    return JSON.parse(text) as Record<string, unknown>;
  }

  test("a command has nothing of another run, of the tool server or of cortex", async () => {
    const { stdout, stderr } = await bash(
      `id -u; cat ${other}/draft ${journal}/.run/endpoints.json ${journal}/.run/tokens/* /proc/*/environ /proc/${server.child.pid}/environ
      curl -s -m 3 -o /dev/null -w '%{http_code}\\n' -H 'Authorization: Bearer ${all}' ${server.url}; echo x >${other}/draft`,
    );
    expect(stdout).toMatch(/^\d+\n/);
    expect(String(stdout)).toContain("000\n");
    expect(`${String(stdout)}${String(stderr)}`).not.toContain("secret");
  });

  test("10 GB of output come to the bound", async () => {
    const result = await bash("yes | head -c 10000000000");
    expect(result).toMatchObject({ exit_code: 137, stopped: "it printed more than 64 MiB" });
    expect(statSync(String(result["output_path"])).size).toBe(64 * 1024 * 1024);
  });

  test("a fork bomb ends, and the next command works", async () => {
    await bash(`/bin/sh -c 'i=0; while [ $i -lt 300 ]; do sleep 20 & i=$((i+1)); echo $i >count; done'`);
    expect(Number(execFileSync("cat", [join(work, "count")], { encoding: "utf8" }))).toBeLessThan(150);
    expect(await bash("echo still here")).toMatchObject({ exit_code: 0, stdout: "still here\n" });
  });
});
