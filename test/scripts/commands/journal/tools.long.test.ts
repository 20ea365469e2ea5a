import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { writeEndpoints } from "../../../../journal/access/endpoints.ts";
import { readToolCatalog } from "../../../../journal/programs/tool-catalog.ts";
import { startTools, type ToolsServer } from "../../../mcp-tools/tools-server.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";
import { patienceMs } from "../../../support/patience.ts";

let journal: string;
let server: ToolsServer;
const tools = (...args: string[]) => runCortex(journal, ["tools", ...args]);

beforeAll(async () => {
  journal = realpathSync(mkdtempSync(join(tmpdir(), "tools-")));
  mkdirSync(join(journal, "20250109"));
  writeFileSync(join(journal, "20250109", "notes.md"), "# Garden\n\nThe seeds were ordered from Ada.\n");
  const fixture = fileURLToPath(new URL("../../../fixtures/mcp/server.ts", import.meta.url));
  const servers = { fixture: { command: [process.execPath, fixture] }, gone: { command: ["nonsuch-program"] } };
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ mcp_servers: servers }));
  mkdirSync(join(journal, "apps/own/tools"), { recursive: true });
  writeFileSync(join(journal, "apps/own/tools/good.js"), 'export default { description: "Good.", run: () => "good" };');
  writeFileSync(join(journal, "apps/own/tools/bad.js"), "export default {};");
  server = await startTools(journal);
  await writeEndpoints(journal, { nats_url: "", nats_user: "", nats_token: "", mcp_url: server.url, pid: process.pid });
});
afterAll(async () => {
  await server.stop();
  rmSync(journal, { recursive: true });
});

test("list shows each tool with its arguments", async () => {
  const { code, stdout } = await tools("list");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^search_journal +query, limit, day_from, day_to, facet +Search/m);
  const { document } = await runCortexJson(journal, ["tools", "list"]);
  expect(document["tools"]).toContainEqual(
    expect.objectContaining({ name: "get_resource", inputSchema: expect.any(Object) }),
  );
});

test("list says what would turn web_search on, until something does", async () => {
  const { stdout } = await tools("list");
  expect(stdout).toMatch(/^web_search isn't offered: set web_search in cortex\.json: .*SearXNG.*Brave/m);
  const { document } = await runCortexJson(journal, ["tools", "list"]);
  expect(document["not_offered"]).toEqual([{ tool: "web_search", remedy: expect.stringContaining("SearXNG") }]);
});

test("list tells how external servers and apps are, and what of them can't be used", async () => {
  const isSettled = async () => {
    const { sources } = await readToolCatalog(journal);
    return sources.map(({ state }) => state).join() === "ready,failed,ready";
  };
  await vi.waitUntil(isSettled, { timeout: patienceMs, interval: 20 });
  const { stdout } = await tools("list");
  expect(stdout).toMatch(/^fixture\.pid +Does pid\.$/m);
  expect(stdout).toMatch(/^own\.good +Good\.$/m);
  expect(stdout).toMatch(/^fixture +server +ready +10$/m);
  expect(stdout).toMatch(/^gone +server +failed +0$/m);
  expect(stdout).toMatch(/^ {2}gone: its program "nonsuch-program" is neither/m);
  expect(stdout).toMatch(/^ {2}own: bad\.js is left out: it exports no tool/m);
  const { document } = await runCortexJson(journal, ["tools", "list"]);
  expect(document["sources"]).toContainEqual(
    expect.objectContaining({ name: "own", kind: "app", state: "ready", tools: ["own.good"] }),
  );
  expect(await tools("call", "own.good")).toMatchObject({ code: 0, stdout: "good" });
  expect(await tools("call", "gone.tool")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the server "gone" is failed, its program "nonsuch-program"'),
  });
});

describe("call", () => {
  test("prints what the tool says, with arguments as key=value", async () => {
    const { code, stdout } = await tools("call", "search_journal", "query=garden seeds", "limit=1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^20250109\/notes\.md:\d+: .*$/);
  });

  test("takes arguments as JSON", async () => {
    const { code, stdout } = await tools("call", "get_resource", '{"path": "20250109/notes.md", "from": 3}');
    expect([code, stdout]).toEqual([0, "The seeds were ordered from Ada."]);
  });

  test("leaves text that looks like a number text", async () => {
    expect(await tools("call", "get_events", "day=20250109")).toMatchObject({
      code: 0,
      stdout: "no events on 20250109",
    });
  });

  test("with --json is the tool's whole result", async () => {
    const { code, document } = await runCortexJson(journal, [
      "tools",
      "call",
      "get_resource",
      "path=20250109/notes.md",
    ]);
    expect(code).toBe(0);
    expect(document).toMatchObject({ content: [{ type: "text" }], structuredContent: { path: "20250109/notes.md" } });
  });

  test("of a tool that says no exits 1, its words on stderr", async () => {
    const { code, stdout, stderr } = await tools("call", "get_resource", "path=../../etc/passwd");
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("can't be seen");
    expect(await tools("call", "search_journal", "query=x", "limit=many")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("limit"),
    });
  });

  test("of a tool that there is not names the nearest, and exits 2", async () => {
    const { code, stderr } = await tools("call", "serch_journal", "query=x");
    expect(code).toBe(2);
    expect(stderr).toContain('there is no tool "serch_journal": did you mean "search_journal"?');
  });

  test.each([[[]], [["search_journal", "query"]], [["search_journal", "{"]], [["search_journal", "{}", "more"]]])(
    "with the arguments %j is a wrong use, and exits 2",
    async (args) => {
      expect(await tools("call", ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^error: .+\n {2}\S/),
      });
    },
  );
});

test.each([["lsit"], ["list", "more"]])("a wrong use, %s %s, exits 2", async (...args) => {
  expect(await tools(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: /) });
});

test("without a running cortex it exits 69 and says how to start it", async () => {
  const empty = mkdtempSync(join(tmpdir(), "tools-"));
  expect(await runCortex(empty, ["tools", "list"])).toMatchObject({
    code: 69,
    stderr: expect.stringContaining("cortex up"),
  });
  await writeEndpoints(empty, {
    nats_url: "",
    nats_user: "",
    nats_token: "",
    mcp_url: "http://127.0.0.1:1/mcp",
    pid: 1,
  });
  const { code, document } = await runCortexJson(empty, ["tools", "list"]);
  expect(code).toBe(69);
  expect(document).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("127.0.0.1:1"), hint: "start it: cortex up" },
  });
  rmSync(empty, { recursive: true });
});
