/** Keys of declared backends, apps and MCP servers behind a wall, as settings name them: used, and never held. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsToken } from "../../journal/access/tokens.ts";
import { findProgram } from "../../proc/os/find-program.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { findSandbox } from "../../sandbox/sandbox-level.ts";
import { callTool, connect, startTools, type ToolsServer } from "../mcp-tools/tools-server.ts";
import { askUntil } from "../support/ask-until.ts";
import { CortexSystem } from "../support/cortex-system.ts";
import { makeCertificates } from "../support/network/certificates.ts";
import { patienceMs } from "../support/patience.ts";

const found = await findSandbox();
const probe = join(import.meta.dirname, "../fixtures/sandbox/probe.js");
const key = "key-of-the-site-0123456789";

describe.skipIf(found.level === "none" || findProgram("curl") === null)("a program behind a wall", () => {
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "walled-keys-")));
  let site: Server;
  let url: string;
  let system: CortexSystem;
  let tools: ToolsServer;

  beforeAll(async () => {
    const { ca, cert, key: own } = makeCertificates(outside, ["DNS:localhost"]);
    site = createServer({ cert: readFileSync(cert), key: readFileSync(own) }, (asked, answer) =>
      answer.end(asked.headers.authorization === key ? "let in" : "shut out"),
    );
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    const { port } = site.address() as AddressInfo;
    url = `https://localhost:${port}/`;
    writeFileSync(join(outside, "key"), `${key}\n`, { mode: 0o600 });
    const place = `localhost:${port}`;
    const walled = { sandbox: true, network: [place] };
    const settings: Settings = {
      network: [place],
      sandbox_keys: {
        SITE_KEY: { hosts: [place], key_file: join(outside, "key") },
        ELSEWHERE_KEY: { hosts: ["elsewhere.example.org"] },
      },
      backends: {
        walled: { command: [process.execPath, probe, "backend"], ...walled },
        declared: { command: [process.execPath, probe, "backend"], env: { SITE_KEY: key }, ...walled },
      },
      mcp_servers: { probing: { command: [process.execPath, probe, "server"], ...walled } },
      apps: { trying: walled },
    };
    const module = `import { probe } from ${JSON.stringify(probe)};
      export default { description: "Tries.", input: { type: "object" }, run: (args) => probe(args) };`;
    const env = { NODE_EXTRA_CA_CERTS: ca };
    system = await CortexSystem.start({ env, settings, files: { "apps/trying/tools/probe.js": module } });
    tools = await startTools(system.journal, env);
  });
  afterAll(async () => {
    await tools.stop();
    await system[Symbol.asyncDispose]();
    site.close();
    rmSync(outside, { recursive: true });
  });

  const answerOf = async (backend: string, given: object, more = {}) => {
    const id = system.request({ prompt: JSON.stringify(given), backend, disable_mcp: true, ...more });
    return (await system.ended(id)).at(-1);
  };

  const call = async (name: string) => {
    await using client = await connect(tools.url, await commandsToken(system.journal));
    const { text } = await askUntil(
      async () => {
        const answer = await callTool(client, name, order());
        return !answer.isError && answer;
      },
      () => `${name} answers: ${tools.stderr()}`,
      patienceMs,
    );
    return JSON.parse(text) as Record<string, unknown>;
  };

  const order = () => ({ sends: [url], reads: [join(outside, "key")] });

  function expectMasked(outcome: Record<string, unknown>): void {
    expect(outcome).toMatchObject({ [url]: "let in", key: expect.stringMatching(/^fake_value_/) });
    expect(JSON.stringify(outcome)).not.toContain(key);
  }

  test.each(["walled", "declared"])("that is the backend %s uses its key, and holds a stand-in", async (backend) => {
    expectMasked(JSON.parse(String((await answerOf(backend, order()))?.["result"])) as Record<string, unknown>);
  });

  test("that is an MCP server or an app does so, too", async () => {
    for (const name of ["probing.probe", "trying.probe"]) expectMasked(await call(name));
  });

  test("whose run leaves the host out has no key either", async () => {
    const last = await answerOf("walled", { sends: [url] }, { network: [] });
    expect(JSON.parse(String(last?.["result"]))).toMatchObject({ key: "none" });
  });

  test("isn't started when its key can be read by others, or isn't there", async () => {
    rmSync(join(outside, "key"));
    expect(await answerOf("walled", order())).toMatchObject({
      event: "error",
      reason: "config",
      error: expect.stringContaining(`sandbox_keys.SITE_KEY.key_file: ${join(outside, "key")} is not a file`),
    });
  });
});
