/** Keys of a run's commands, as settings name them, over the real tool server: used, and never held. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueToken } from "../../../journal/access/tokens.ts";
import { findProgram } from "../../../proc/os/find-program.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { makeCertificates } from "../../support/network/certificates.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const found = await findSandbox();
const key = "key-of-the-site-0123456789";

describe.skipIf(found.level === "none" || findProgram("curl") === null)("a command", () => {
  const folder = makeJournal();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "exec-keys-")));
  let site: Server;
  let place: string;
  let tools: ToolsServer;
  let next = 1_736_380_800_000;

  beforeAll(async () => {
    const { ca, cert, key: own } = makeCertificates(root, ["DNS:localhost"]);
    site = createServer({ cert: readFileSync(cert), key: readFileSync(own) }, (asked, answer) =>
      answer.end(asked.headers.authorization === key ? "let in\n" : "shut out\n"),
    );
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    place = `localhost:${(site.address() as AddressInfo).port}`;
    tools = await startTools(folder.journal, { NODE_EXTRA_CA_CERTS: ca, OWN_KEY: key, SITE_KEY: key });
  });
  afterAll(async () => {
    await tools[Symbol.asyncDispose]();
    site.close();
    folder[Symbol.dispose]();
    rmSync(root, { recursive: true });
  });

  const configure = (settings: object) => writeFileSync(join(folder.journal, "cortex.json"), JSON.stringify(settings));

  /** A run with a folder of its own; returns how its commands are asked for. */
  async function newRun(over = {}) {
    const id = String(next++);
    const work = join(root, id);
    mkdirSync(work);
    const limits = { max_processes: 200, max_memory_mb: 1024 };
    const run = { folder: work, is_walled: true, network: [place], ...limits, ...over };
    const permissions = [{ tool: "exec", decide: "allow" as const }];
    const client = await connect(tools.url, await issueToken(folder.journal, id, ["bash"], { permissions }, run));
    return async (command: string) => (await callTool(client, "bash", { command })).text;
  }

  const ask = (variable: string) =>
    `curl -sS --noproxy '' -H "Authorization: $${variable}" https://${place}; echo "$${variable}"`;

  test("uses a key of the environment by its own or by another name, and holds a stand-in, the same in each", async () => {
    configure({ sandbox_keys: { SITE_KEY: { hosts: [place] }, OTHER: { hosts: [place], key_env: "OWN_KEY" } } });
    const bash = await newRun();
    const first = await bash(ask("SITE_KEY"));
    expect(first).toMatch(/"stdout":"let in\\nfake_value_[0-9a-f-]{36}\\n"/);
    expect(await bash(ask("SITE_KEY"))).toBe(first);
    expect(await bash(ask("OTHER"))).toMatch(/"stdout":"let in\\nfake_value_/);
    const elsewhere = await newRun();
    expect(await elsewhere(ask("SITE_KEY"))).not.toBe(first);
  });

  test("has none where its run doesn't reach the host, or runs without a sandbox", async () => {
    configure({ sandbox_keys: { SITE_KEY: { hosts: [place] } } });
    for (const over of [{ network: [] }, { network: ["example.org"] }, { is_walled: false }])
      expect(await (await newRun(over))('echo "[$SITE_KEY]"')).toContain('"stdout":"[]\\n"');
  });

  test("isn't started when its key isn't there, and says which", async () => {
    configure({ sandbox_keys: { NO_SUCH_KEY: { hosts: [place] } } });
    expect(await (await newRun())("true")).toContain(
      "sandbox_keys.NO_SUCH_KEY.key_env (NO_SUCH_KEY): expected a secret on one line, got none",
    );
  });
});
