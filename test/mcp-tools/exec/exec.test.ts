/** Commands over the real tool server, in a real sandbox. Each test is a run of its own. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsToken, issueToken, revokeToken, type RunPlace } from "../../../journal/access/tokens.ts";
import { packs } from "../../../protocol/settings/packs.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { askUntil } from "../../support/ask-until.ts";
import { expectQuiet } from "../../support/expect-quiet.ts";
import { patienceMs } from "../../support/patience.ts";
import { connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const found = await findSandbox();
const folder = makeJournal();
const root = realpathSync(mkdtempSync(join(tmpdir(), "exec-")));
let server: ToolsServer;
let next = 1_736_380_800_000;

/** Tests ask for the same until it is there. */
const settings = { loop_limit: 1000 };
const writeSettings = (more: object = {}) =>
  writeFileSync(join(folder.journal, "cortex.json"), JSON.stringify({ ...settings, ...more }));

beforeAll(async () => {
  writeSettings();
  server = await startTools(folder.journal, { SECRET_KEY: "secret-environment" });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  rmSync(root, { recursive: true, force: true });
});

type Result = { structured: Record<string, unknown>; text: string; isError: boolean };

/** A run with a folder of its own, and a client with its token. */
async function newRun(over: Partial<RunPlace> = {}, url = server.url) {
  const id = String(next++);
  const work = join(root, id);
  mkdirSync(work);
  const place = { folder: work, is_walled: true, max_processes: 200, max_memory_mb: 1024, ...over };
  const token = await issueToken(
    folder.journal,
    id,
    [...(packs["exec"] ?? []), ...(packs["files"] ?? [])],
    // Without a sandbox somebody would be asked.
    { permissions: [{ tool: "exec", decide: "allow" }] },
    place,
  );
  const client = await connect(url, token);
  await client.listTools();
  const call = async (name: string, args: Record<string, unknown>, options = {}): Promise<Result> => {
    const called = client.callTool({ name, arguments: args }, undefined, { timeout: patienceMs, ...options });
    const result = CallToolResultSchema.parse(await called);
    const [first] = result.content;
    const text = first?.type === "text" ? first.text : "";
    return { structured: result.structuredContent ?? {}, text, isError: result.isError === true };
  };
  const bash = async (command: string, more = {}) => (await call("bash", { command, ...more })).structured;
  return { id, work, token, client, call, bash };
}

const grows = (path: string) => {
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    size,
    started: () => until(() => size() > 0),
  };
};

describe.skipIf(found.level === "none")("in a sandbox", () => {
  test("a command answers with its code and its output, the same as text and as structure", async () => {
    const run = await newRun();
    const { structured, text } = await run.call("bash", { command: "echo out; echo err >&2; pwd; exit 3" });
    expect(structured).toEqual({
      exit_code: 3,
      stdout: `out\n${run.work}\n`,
      stderr: "err\n",
      timed_out: false,
      truncated: false,
      sandbox: true,
    });
    expect(JSON.parse(text)).toEqual(structured);
  });

  test("commands that a run starts at one moment all start", async () => {
    const run = await newRun();
    const failed: unknown[] = [];
    for (let round = 0; round < 8; round++) {
      const ended = await Promise.all(Array.from({ length: 14 }, () => run.bash("true")));
      failed.push(...ended.filter(({ exit_code }) => exit_code !== 0));
    }
    expect(failed).toEqual([]);
  });

  test("files of the file tools and of commands are the same, and cwd stays in the folder", async () => {
    const run = await newRun();
    await run.call("write", { path: "sub/a.txt", content: "hello" });
    expect(await run.bash("cat a.txt; echo more >b.txt", { cwd: "sub" })).toMatchObject({ stdout: "hello" });
    expect((await run.call("read", { path: "sub/b.txt" })).text).toBe("more");
    expect((await run.call("grep", { pattern: "mor" })).text).toBe("sub/b.txt:1: more");
    expect((await run.call("bash", { command: "true", cwd: "../.." })).text).toContain("outside of the work folder");
  });

  test("nothing of another run, of cortex or of the environment is there", async () => {
    const [run, other] = [await newRun(), await newRun()];
    writeFileSync(join(other.work, "note"), "secret-note");
    writeSettings({ openai: { base_url: "http://secret-settings" } });
    const { journal } = folder;
    const { stdout, stderr } = await run.bash(
      `cat ${other.work}/note ${journal}/.run/commands-token ${journal}/cortex.json /proc/*/environ ${journal}/.run/tokens/*; ls ${journal}/.run ${journal}/.state ${root}`,
    );
    writeSettings();
    expect(String(stdout) + String(stderr)).not.toMatch(/secret|[0-9a-f]{64}/);
    expect(stdout).toContain(`${root}:\n${run.id}\n`);
  });

  test("the tool server can't be reached with a token, and nor can any other port", async () => {
    const run = await newRun();
    const { stdout } = await run.bash(
      `(echo GET / >/dev/tcp/127.0.0.1/${server.port}) 2>/dev/null && echo reached; echo done`,
    );
    expect(stdout).toBe("done\n");
  });

  test("a host that its run may reach is reached by the environment's proxy, and no other", async () => {
    const run = await newRun({ network: [`localhost:${server.port}`] });
    const ask = (url: string) => `curl -s -o /dev/null -w '%{http_code} ' --noproxy '' ${url}`;
    const { stdout } = await run.bash(
      `${ask(`http://localhost:${server.port}/mcp`)}; ${ask("http://example.invalid")}; ${ask("http://169.254.169.254/")}; env | grep -c '^HTTPS\\?_PROXY=http://127'`,
    );
    expect(stdout).toBe("401 403 403 2\n");
  });

  test("a command that takes too long is stopped, with what it had printed", async () => {
    const run = await newRun();
    const result = await run.bash("echo begun; touch begun; sleep 600", { timeout_seconds: 4 });
    expect(result).toMatchObject({ exit_code: 137, timed_out: true });
    // A busy machine may take longer than that to start it.
    if (existsSync(join(run.work, "begun"))) expect(result["stdout"]).toBe("begun\n");
  });

  test("long output is cut in its middle for the model, and whole in a file", async () => {
    const run = await newRun();
    const { stdout, truncated, output_path } = await run.bash("seq 1 20000");
    expect(truncated).toBe(true);
    expect(String(stdout).length).toBeLessThan(20_000);
    expect(stdout).toMatch(/^1\n2\n[^]*bytes left out[^]*\n20000\n$/);
    expect(await run.bash(`sed -n '10000p' ${String(output_path)}`)).toMatchObject({ stdout: "10000\n" });
    expect((await run.call("read", { path: String(output_path), from: 10_000, to: 10_000 })).text).toBe("10000");
  });

  test("output without end is stopped at a bound", async () => {
    const run = await newRun();
    const result = await run.bash("yes | head -c 10000000000");
    expect(result).toMatchObject({ exit_code: 137, truncated: true, stopped: "it printed more than 64 MiB" });
    expect(statSync(String(result["output_path"])).size).toBe(64 * 1024 * 1024);
  });

  test("what it prints is told while it runs", async () => {
    const run = await newRun();
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = run.call(
      "bash",
      { command: "echo early; until [ -e go ]; do sleep 0.05; done; echo late" },
      {
        onprogress: ({ message }: { message?: string }) => resolve(message ?? ""),
      },
    );
    expect(await promise).toBe("early\n");
    writeFileSync(join(run.work, "go"), "");
    expect((await answer).structured).toMatchObject({ stdout: "early\nlate\n" });
  });

  test("a cancelled call ends its command, and what that has put in other sessions", async () => {
    const run = await newRun();
    const [file, aside] = [grows(join(run.work, "ticks")), grows(join(run.work, "aside"))];
    const stop = new AbortController();
    const answer = run.call(
      "bash",
      {
        command:
          "setsid sh -c 'while :; do echo x >>aside; sleep 0.05; done' & while :; do echo x >>ticks; sleep 0.05; done",
      },
      { signal: stop.signal },
    );
    await Promise.all([file.started(), aside.started()]);
    stop.abort();
    await expect(answer).rejects.toThrow();
    await expectQuiet(file.size, aside.size);
  });

  test("a background process is listed, read, typed into and stopped", async () => {
    const run = await newRun();
    const started = await run.bash("while read -r line; do echo got $line; done", { background: true });
    const process_id = String(started["process_id"]);
    expect(started).toMatchObject({ exit_code: null });
    await run.call("process_input", { process_id, text: "one\n" });
    const output = await until(async () => {
      const { structured } = await run.call("process_output", { process_id, from: 0 });
      return structured["text"] !== "" && structured;
    });
    expect(output).toMatchObject({ text: "got one\n", running: true, next: 8, size: 8 });
    expect((await run.call("process_list", {})).structured).toMatchObject({
      processes: [{ process_id, running: true }],
    });
    expect((await run.call("process_stop", { process_id })).structured).toEqual({ process_id, exit_code: 137 });
    expect((await run.call("process_input", { process_id, text: "x" })).text).toContain("has ended");
    const stranger = await newRun();
    expect((await stranger.call("process_output", { process_id })).text).toContain("no process");
  });

  test("a background process and its files end with its run", async () => {
    const run = await newRun();
    const { output_path } = await run.bash("while :; do echo x >>ticks; sleep 0.05; done", { background: true });
    const file = grows(join(run.work, "ticks"));
    await file.started();
    await revokeToken(folder.journal, run.token);
    await until(() => !existsSync(String(output_path)));
    await expectQuiet(file.size);
  });

  test("everything ends with the tools' program, kill -9 included", async () => {
    const own = makeJournal();
    const other = await startTools(own.journal);
    const id = String(next++);
    const work = join(root, id);
    mkdirSync(work);
    const place = { folder: work, is_walled: true, max_processes: 200, max_memory_mb: 1024 };
    const client: Client = await connect(other.url, await issueToken(own.journal, id, ["bash"], undefined, place));
    const command = "while :; do echo x >>ticks; sleep 0.05; done";
    await client.callTool({ name: "bash", arguments: { command, background: true } });
    const file = grows(join(work, "ticks"));
    await file.started();
    other.child.kill("SIGKILL");
    await expectQuiet(file.size);
    own[Symbol.dispose]();
  });

  test("too much memory, and too many processes, end a command with the reason", async () => {
    const run = await newRun({ max_memory_mb: 64 });
    const result = await run.bash(
      `${process.execPath} -e 'const all = []; setInterval(() => all.push(Buffer.alloc(2e7, 1)), 5)'`,
    );
    expect(result).toMatchObject({ exit_code: 137, stopped: "it used more memory than the limit, max_memory_mb 64" });
  });

  test("special files of the folder hold up neither commands nor file tools", async () => {
    const run = await newRun();
    await run.bash("mkfifo pipe; ln -s /dev/zero zero; ln -s / root");
    expect((await run.call("read", { path: "pipe" })).text).toContain("not a regular file");
    expect((await run.call("read", { path: "zero" })).isError).toBe(true);
    expect((await run.call("write", { path: "root/tmp/x", content: "x" })).isError).toBe(true);
    expect((await run.call("glob", { pattern: "*" })).isError).toBe(false);
  });
});

test("a command without a sandbox works in the folder, and all of it ends with the call", async () => {
  const run = await newRun({ is_walled: false });
  expect(await run.bash("pwd; echo $SECRET_KEY")).toMatchObject({ stdout: `${run.work}\n\n`, sandbox: false });
  await run.bash("(while :; do echo x >>ticks; sleep 0.05; done) & until [ -e ticks ]; do sleep 0.05; done");
  await expectQuiet(grows(join(run.work, "ticks")).size);
});

test.runIf(process.getuid?.() === 0)(
  "root's processes, which the usual limit doesn't count, end a command with the reason when they are too many",
  async () => {
    const run = await newRun({ is_walled: false, max_processes: 20 });
    const { exit_code, stopped } = await run.bash("for i in $(seq 80); do sleep 600 & done; wait");
    expect([exit_code, stopped]).toEqual([
      137,
      expect.stringMatching(/^it had \d+ processes, the limit max_processes is 20$/),
    ]);
  },
);

test("a command may take as long as it asks for, up to half an hour, by itself two minutes", async () => {
  const run = await newRun({ is_walled: false });
  const { tools } = await run.client.listTools();
  const properties = tools.find(({ name }) => name === "bash")?.inputSchema.properties;
  expect(properties).toMatchObject({
    timeout_seconds: { maximum: 1800, description: expect.stringContaining("Default 120,") },
  });
  expect(await run.call("bash", { command: "true", timeout_seconds: 1801 })).toMatchObject({ isError: true });
});

test("the commands' own token runs none", async () => {
  const client = await connect(server.url, await commandsToken(folder.journal));
  const { content, isError } = CallToolResultSchema.parse(
    await client.callTool({ name: "bash", arguments: { command: "true" } }),
  );
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining("only a run may start commands")]);
  await client.close();
});

const until = <T>(ask: () => T | Promise<T>) => askUntil(ask, () => String(ask), patienceMs);

test.skipIf(process.getuid?.() !== 0)(
  "a folder that can't be removed keeps no tool server from its start",
  async () => {
    using own = makeJournal();
    const hash = createHash("sha256").update(own.journal).digest("hex").slice(0, 12);
    const left = join(tmpdir(), `cortex-exec-${hash}-left`);
    mkdirSync(left);
    writeFileSync(join(left, "closed"), "");
    execFileSync("chattr", ["+i", join(left, "closed")]);
    try {
      await using tools = await startTools(own.journal, { TMPDIR: tmpdir() });
      await until(() => tools.stderr().includes("remove it by hand"));
      expect(existsSync(left)).toBe(true);
    } finally {
      execFileSync("chattr", ["-i", join(left, "closed")]);
      rmSync(left, { recursive: true });
    }
  },
);
