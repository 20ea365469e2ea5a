/** Commands in whole runs: cortex, the tool server and a played provider. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBusAccess } from "../../../journal/access/endpoints.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { recordOf } from "../../../cortex/plan/run-record.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { CortexSystem } from "../../support/cortex-system.ts";
import { makeRepository } from "../../support/git-repository.ts";
import { pathWithout } from "../../support/path-without.ts";
import { startAnthropic } from "../../support/providers/anthropic.ts";
import type { PlayedServer, Reply } from "../../support/providers/played.ts";
import { startTools, type ToolsServer } from "../tools-server.ts";

const found = await findSandbox();
const bash = (command: string, more = {}) => ({ turn: { calls: [{ tool: "bash", args: { command, ...more } }] } });
const asleep = "sleep 613.7";
const done = { turn: { text: "done" } };

describe.skipIf(found.level === "none")("a run in a sandbox", () => {
  let provider: PlayedServer;
  let system: CortexSystem;
  let tools: ToolsServer;
  let site: Server;
  let place: string;
  let app: string;
  let scripts: Record<string, Reply[]>;

  beforeAll(async () => {
    site = createServer((_, answer) => answer.end("here"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    place = `localhost:${(site.address() as AddressInfo).port}`;
    scripts = {
      work: [
        { turn: { calls: [{ tool: "write", args: { path: "a.txt", content: "from a tool" } }] } },
        bash("cat a.txt; until [ -e heard ]; do sleep 0.05; done; pwd; cat /proc/*/environ"),
      ],
      wait: [bash("sleep 0.1", { background: true }), bash("until [ -e told ]; do sleep 0.05; done; pwd")],
      log: [bash("while :; do echo x >>log; done", { background: true }), bash("until [ -s log ]; do :; done")],
      hang: [bash(`echo begun; ${asleep}; true`)],
      ask: [bash(`curl -s http://${place} || echo refused`)],
    };
    // By the run's prompt and how often it was answered: what a process has to tell may come behind the last answer.
    provider = await startAnthropic([], {
      answer: (body) => {
        const { messages } = body as { messages: { role: string; content: unknown }[] };
        const prompt = Object.keys(scripts).find((name) => JSON.stringify(messages[0]).includes(`"${name}"`)) ?? "";
        return scripts[prompt]?.[messages.filter(({ role }) => role === "assistant").length] ?? done;
      },
    });
    const key = "sk-test-0123456789";
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: provider.url };
    app = realpathSync(mkdtempSync(join(tmpdir(), "exec-run-")));
    makeRepository(app, { "a.txt": "a\n" });
    system = await CortexSystem.start({
      env,
      settings: { network: [place], folders: [app], permissions: [{ tool: "bash", decide: "allow" }] },
      files: {
        "personas/careful.json": JSON.stringify({ permissions: [{ tool: "bash", decide: "deny" }] }),
        "personas/careful.txt": "Be careful.",
      },
    });
    tools = await startTools(system.journal, env);
  });
  afterAll(async () => {
    site.close();
    await tools.stop();
    await system[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
    rmSync(app, { recursive: true });
  });

  const ends = async (id: string) => (await system.ended(id)).filter(({ event }) => event === "tool_end");

  test("files and commands share the run's folder, no key is there, and what is printed is told on the bus alone", async () => {
    const id = system.request({ prompt: "work", backend: "anthropic", tools: "files, exec" });
    const told = await system.heard(id, "tool_output");
    writeFileSync(join(String(recordOf(system.journal, id)?.work_folder), "heard"), "");
    const [, end] = await ends(id);
    const { stdout, sandbox } = JSON.parse(String(end?.["result"])) as { stdout: string; sandbox: boolean };
    expect([stdout, sandbox]).toEqual([expect.stringMatching(/^from a tool\/.*cortex-run-/), true]);
    expect(stdout).not.toContain("sk-test");
    expect(told).toMatchObject({ call_id: end?.["call_id"], text: "from a tool" });
    expect(system.file(id).some(({ event }) => event === "tool_output")).toBe(false);
  });

  test("a run is told when a background process of its own ends", async () => {
    const id = system.request({ prompt: "wait", backend: "anthropic", tools: ["bash"] });
    const folder = await system.until(() => recordOf(system.journal, id)?.work_folder, "the run's folder");
    const input = await system.heard(id, "input");
    expect(input["text"]).toMatch(/^The background process p1 \(sleep 0.1\) has ended with exit code 0/);
    writeFileSync(join(folder, "told"), "");
    const [started, waited] = await ends(id);
    expect(JSON.parse(String(started?.["result"]))).toMatchObject({ exit_code: null, process_id: "p1" });
    expect(JSON.parse(String(waited?.["result"]))).toMatchObject({ exit_code: 0, stdout: `${folder}\n` });
  });

  test("a run's changes are taken when its background processes have ended: its patch has all that they wrote", async () => {
    const more = { folder: app, worktree: true };
    const id = system.request({ prompt: "log", backend: "anthropic", tools: ["bash"], ...more });
    const changes = (await system.settled(id)).find(({ event }) => event === "changes");
    const log = readFileSync(join(system.journal, "worktrees", id, "files/log"), "utf8");
    expect(changes?.["files"]).toEqual([{ path: "log", added: log.length / 2, removed: 0, status: "added" }]);
  });

  test("a persona's rules hold for its runs, before those of the settings", async () => {
    const [end] = await ends(
      system.request({ prompt: "ask", backend: "anthropic", tools: ["bash"], persona: "careful" }),
    );
    expect(end).toMatchObject({ is_error: true, result: expect.stringContaining("denied by a rule of the user") });
  });

  test("a cancelled run ends its command", async () => {
    const id = system.request({ prompt: "hang", backend: "anthropic", tools: ["bash"] });
    await system.heard(id, "tool_output");
    await system.until(() => sleepers().length > 0, "what comes after the output is at work");
    system.cancel(id);
    expect((await system.ended(id)).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
    await system.until(() => sleepers().length === 0, "the command has ended");
    expect(sleepers()).toEqual([]);
  });

  test("a run reaches what the settings' network names, and a request leaves it out", async () => {
    const asked = async (network: string[]) => {
      const id = system.request({ prompt: "ask", backend: "anthropic", tools: ["bash"], network });
      const [end] = await ends(id);
      const notes = system.file(id).filter(({ event }) => event === "info");
      return { ...(JSON.parse(String(end?.["result"])) as { stdout: string }), notes };
    };
    const named = await asked([place, "evil.example"]);
    expect([named.stdout, named.notes.map(({ message }) => message)]).toEqual([
      "here",
      ['network: evil.example: not in "network" of cortex.json, so it can\'t be reached'],
    ]);
    expect((await asked([])).stdout).toBe("refused\n");
  });

  test("a run reaches neither the bus nor the tool server, though it has stolen a token for each", async () => {
    const access = readBusAccess(system.journal);
    const port = new URL(access?.url ?? "").port;
    const token = await commandsToken(system.journal);
    const ask = (curl: string) => `
      ${curl} -s -m 60 -o answer -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \
        -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' ${tools.url}
      grep -q search_journal answer && echo REACHED the tools
      ${curl} -s -m 60 http://127.0.0.1:${port}/ --http0.9 | grep -q INFO && echo REACHED the bus`;
    const ways = ["curl", "curl --noproxy '*'"];
    const command = `${ways.map(ask).join("\n")}\n (exec 3<>/dev/tcp/127.0.0.1/${port}; head -c 4 <&3); echo tried`;
    // It is the wall that holds: outside, both are there.
    const outside = execFileSync("bash", ["-c", command], { cwd: system.journal, encoding: "utf8" });
    expect(outside.match(/REACHED the \w+|INFO/g)).toEqual([
      ...ways.flatMap(() => ["REACHED the tools", "REACHED the bus"]),
      "INFO",
    ]);
    scripts["steal"] = [bash(command)];
    for (const network of [[], [place]]) {
      const [end] = await ends(system.request({ prompt: "steal", backend: "anthropic", tools: ["bash"], network }));
      expect(JSON.parse(String(end?.["result"]))).toMatchObject({ stdout: "tried\n", sandbox: true });
    }
  });

  /** Lists the processes that sleep so long on this machine: a number of this file's own. */
  const sleepers = () =>
    readdirSync("/proc").filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(asleep);
      } catch {
        return false;
      }
    });
});

describe("where there is no bubblewrap", () => {
  const bin = pathWithout("bwrap");
  let system: CortexSystem;

  beforeAll(async () => {
    const preferring = JSON.stringify({ sandbox: "preferred" });
    system = await CortexSystem.start({
      env: { PATH: bin.folder },
      files: { "personas/mild.json": preferring, "personas/mild.txt": "Work." },
    });
  });
  afterAll(async () => {
    await system[Symbol.asyncDispose]();
    bin[Symbol.dispose]();
  });

  test("a run with commands is refused before it starts, and says what to install", async () => {
    // A persona can be stricter than the settings, and never milder.
    for (const persona of ["default", "mild"]) {
      const events = await system.ended(
        system.request({ prompt: "work", backend: "offline", persona, tools: ["bash"] }),
      );
      expect(events.map(({ event }) => event)).toEqual(["request", "error"]);
      expect(events[1]).toMatchObject({
        reason: "config",
        error: expect.stringMatching(/bubblewrap.*install.*bubblewrap/),
      });
    }
  });

  test("a run without commands needs none", async () => {
    const events = await system.ended(system.request({ prompt: "hello", backend: "offline", tools: "files" }));
    expect(events.at(-1)).toMatchObject({ event: "finish" });
  });
});
