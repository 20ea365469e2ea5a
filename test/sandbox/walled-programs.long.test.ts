/** Declared backends, apps and MCP servers behind the wall that they asked for: what they can't do, and that they do their job. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { recordOf } from "../../cortex/plan/run-record.ts";
import { readBusAccess } from "../../journal/access/endpoints.ts";
import { attemptFolder } from "../../journal/run-folders/run-folder.ts";
import { agentOf } from "../../proc/runs/run.ts";
import { commandsToken } from "../../journal/access/tokens.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { callTool, connect, startTools, type ToolsServer } from "../mcp-tools/tools-server.ts";
import { askUntil } from "../support/ask-until.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { textOf } from "../support/journal-processes.ts";
import { pathWithout } from "../support/path-without.ts";
import { patienceMs } from "../support/patience.ts";

const found = await findSandbox();
const probe = join(import.meta.dirname, "../fixtures/sandbox/probe.js");

type WalledOutcome = Record<string, unknown>;

describe.skipIf(found.level === "none")("a program behind a wall", () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "walled-outside-")));
  let site: Server;
  let url: string;
  let system: CortexSystem;
  let tools: ToolsServer;

  beforeAll(async () => {
    site = createServer((_, answer) => answer.end("hello"));
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const { port } = site.address() as AddressInfo;
    url = `http://localhost:${port}/`;
    mkdirSync(join(outside, "served"));
    const walled = { sandbox: true, network: [`localhost:${port}`] };
    const settings: Settings = {
      backends: {
        walled: { command: [process.execPath, probe, "backend"], env: { OWN_COLOUR: "green" }, ...walled },
        shut: { command: [process.execPath, probe, "backend"], sandbox: "required" },
      },
      mcp_servers: {
        probing: { command: [process.execPath, probe, "server"], cwd: join(outside, "served"), ...walled },
        bare: { command: [process.execPath, probe, "server"], sandbox: true },
      },
      apps: { trying: walled },
    };
    const module = `import { probe } from ${JSON.stringify(probe)};
      export default { description: "Tries.", input: { type: "object" }, run: (args) => probe(args) };`;
    system = await CortexSystem.start({
      settings,
      files: { "apps/trying/tools/probe.js": module, "20250109/notes.md": "seeds" },
    });
    tools = await startTools(system.journal);
  });
  afterAll(async () => {
    await tools.stop();
    await system[Symbol.asyncDispose]();
    site.close();
    rmSync(outside, { recursive: true });
  });

  /** The attempts of each of them. */
  const order = (writes: string[]) => ({
    reads: [join(system.journal, "20250109/notes.md"), join(system.journal, "cortex.json"), ...secrets()],
    writes: [join(outside, "x"), join(system.journal, "20250109/x"), ...writes],
    asks: [url, "http://example.invalid/", `http://127.0.0.1:${tools.port}/mcp`],
    ports: [busPort()],
  });
  const secrets = () =>
    [".run/bus.json", ".run/endpoints.json", ".run/commands-token"].map((name) => join(system.journal, name));
  const busPort = () => Number(new URL(readBusAccess(system.journal)?.url ?? "").port);

  function expectWalled(outcome: WalledOutcome): void {
    expect(outcome[join(system.journal, "20250109/notes.md")]).toBe("seeds");
    for (const path of secrets()) expect(outcome[path]).toMatch(/^(ENOENT|EACCES)$/);
    expect(outcome[join(system.journal, "cortex.json")]).toMatch(/^(|ENOENT|EACCES)$/);
    // Below /tmp it may have written, but to its own.
    for (const path of [join(outside, "x"), join(system.journal, "20250109/x")]) expect(existsSync(path)).toBe(false);
    expect(outcome[join(system.journal, "20250109/x")]).toMatch(/^(EROFS|ENOENT|EACCES)$/);
    expect(outcome["http://example.invalid/"]).not.toBe(200);
    expect(outcome[busPort()]).toBe("ECONNREFUSED");
  }

  const ask = async (backend: string, given: object, more = {}) => {
    const id = system.request({ prompt: JSON.stringify(given), backend, ...more });
    const last = (await system.ended(id)).at(-1);
    expect(last).toMatchObject({ event: "finish" });
    return { id, outcome: JSON.parse(String(last?.["result"])) as WalledOutcome };
  };

  test("a backend works in its run's folder, with its tools and its hosts, and nothing else", async () => {
    const { outcome } = await ask("walled", order(["made.txt", "/tmp/own"]), { tools: "journal" });
    expectWalled(outcome);
    expect(outcome).toMatchObject({ "made.txt": "written", "/tmp/own": "written", [url]: 200 });
    expect(outcome["tools"]).toContain("search_journal");
    // The tool server alone is there where its address says, and wants the run's token.
    expect(outcome[`http://127.0.0.1:${tools.port}/mcp`]).toBe(401);
    expect(outcome["env"]).toMatchObject({ OWN_COLOUR: "green", HOME: "/tmp/home" });
    expect(JSON.stringify(outcome["env"])).not.toContain("CORTEX_WALL");
    expect(existsSync("/tmp/own")).toBe(false);
  });

  test("one without tools and hosts reaches nothing at all", async () => {
    const { outcome } = await ask("shut", { asks: [url, `http://127.0.0.1:${tools.port}/mcp`] }, { disable_mcp: true });
    expect(outcome).toMatchObject({ [url]: "ECONNREFUSED", [`http://127.0.0.1:${tools.port}/mcp`]: "ECONNREFUSED" });
  });

  test("the wall's own processes don't count against max_processes", async () => {
    const { outcome } = await ask("shut", { reads: [], pauseMs: 1500 }, { disable_mcp: true, max_processes: 15 });
    expect(outcome["pids"]).toBe("true");
  });

  test("a request leaves out hosts of a backend's", async () => {
    const { outcome } = await ask("walled", { asks: [url] }, { network: [], disable_mcp: true });
    expect(outcome[url]).toBe("ECONNREFUSED");
  });

  test("a cancelled one is told to stop, in time to say something", async () => {
    const id = system.request({ prompt: '{"waits": true}', backend: "walled" });
    await system.heard(id, "text");
    // Heard of: the folder goes soon after its run.
    const made: (string | null)[] = [];
    const watcher = watch(recordOf(system.journal, id)?.work_folder ?? "", (_, name) => made.push(name));
    onTestFinished(() => watcher.close());
    system.cancel(id);
    expect((await system.ended(id)).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
    await askUntil(
      () => made.includes("told"),
      () => "it was told",
      patienceMs,
    );
  });

  test("one whose process is killed leaves nothing running behind its wall", async () => {
    const id = system.request({ prompt: '{"waits": true}', backend: "walled", max_attempts: 1 });
    await system.heard(id, "text");
    const ticks = join(outside, "ticks");
    symlinkSync(join(recordOf(system.journal, id)?.work_folder ?? "", "ticks"), ticks);
    await askUntil(
      () => existsSync(ticks),
      () => "it ticks",
      patienceMs,
    );
    const inside = processesWith("probe.js").filter((pid) => textOf(`/proc/${pid}/environ`).includes("OWN_COLOUR"));
    expect(inside.length).toBeGreaterThan(0);
    process.kill(agentOf(attemptFolder(system.journal, id, 1))?.pid ?? 0, "SIGKILL");
    expect((await system.ended(id)).at(-1)).toMatchObject({ event: "error" });
    await askUntil(
      () => inside.every((pid) => !existsSync(`/proc/${pid}`)),
      () => "all of it has ended",
      patienceMs,
    );
  });

  const call = async (name: string, args: object): Promise<WalledOutcome> => {
    await using client = await connect(tools.url, await commandsToken(system.journal));
    const { text } = await askUntil(
      async () => {
        const answer = await callTool(client, name, { ...args });
        return !answer.isError && answer;
      },
      () => `${name} answers: ${tools.stderr()}`,
      patienceMs,
    );
    return JSON.parse(text) as WalledOutcome;
  };

  test("an MCP server works in its folder, with its hosts, and nothing else", async () => {
    const own = join(outside, "served/made.txt");
    const outcome = await call("probing.probe", order([own, "/tmp/own"]));
    expectWalled(outcome);
    expect(outcome).toMatchObject({ [own]: "written", "/tmp/own": "written", [url]: 200 });
    // With a token that it had stolen, it could do nothing.
    expect(outcome[`http://127.0.0.1:${tools.port}/mcp`]).not.toBe(401);
    expect(readFileSync(own, "utf8")).toBe("probe");
  });

  test("a folder of others that is made while it runs isn't there for it", async () => {
    await call("bare.probe", { reads: [] });
    const secret = join(system.journal, "quarantine/letter.txt");
    mkdirSync(join(system.journal, "quarantine"), { recursive: true });
    writeFileSync(secret, "secret");
    expect(await call("bare.probe", { reads: [secret] })).toMatchObject({ [secret]: expect.stringMatching(/^E/) });
  });

  test("one without a folder of its own reads the journal and writes to /tmp alone", async () => {
    const note = join(system.journal, "20250109/notes.md");
    const outcome = await call("bare.probe", { reads: [note], writes: [note, "made.txt", "/tmp/own"], asks: [url] });
    expect(outcome).toMatchObject({ "made.txt": "EROFS", "/tmp/own": "written", [url]: "ECONNREFUSED" });
    expect(readFileSync(note, "utf8")).toBe("seeds");
  });

  test("an app answers, with its hosts, and nothing else", async () => {
    const outcome = await call("trying.probe", order(["/tmp/own"]));
    expectWalled(outcome);
    expect(outcome).toMatchObject({ "/tmp/own": "written", [url]: 200 });
  });
});

/** The pids of this machine's processes whose command line has a word. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word);
    } catch {
      return false;
    }
  });
}

describe("where there is no bubblewrap", () => {
  test("each that needs a wall is refused with what to install, and one that prefers it works", async () => {
    using bin = pathWithout("bwrap");
    const command = [process.execPath, probe, "backend"];
    const server = { command: [process.execPath, probe, "server"], sandbox: true };
    await using system = await CortexSystem.start({
      env: { PATH: bin.folder },
      settings: {
        backends: { walled: { command, sandbox: true }, mild: { command, sandbox: "preferred" } },
        mcp_servers: { probing: server },
        apps: { trying: { sandbox: true } },
      },
      files: { "apps/trying/tools/t.js": "export default { description: 'x', run: () => 1 };" },
    });
    await using _tools = await startTools(system.journal, { PATH: bin.folder });
    const events = await system.ended(system.request({ prompt: "{}", backend: "walled" }));
    const refusal = /sandbox.*bubblewrap isn't installed.*install.* bubblewrap/;
    expect(events.at(-1)).toMatchObject({ event: "error", reason: "config", error: expect.stringMatching(refusal) });
    const mild = await system.ended(system.request({ prompt: "{}", backend: "mild", disable_mcp: true }));
    expect(mild.at(-1)).toMatchObject({ event: "finish" });
    const sources = await askUntil(
      () => {
        const catalog = readFileSync(join(system.journal, ".run/tools.json"), "utf8");
        return (catalog.match(/bubblewrap isn't installed/g) ?? []).length >= 2 && catalog;
      },
      () => readFileSync(join(system.journal, ".run/tools.json"), "utf8"),
      patienceMs,
    );
    expect(sources).toMatch(/install[^"]* bubblewrap/);
  });
});
