/** The entries that `cortex acp config` prints, by the real command. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runCortex, runCortexJson } from "../../run-command.ts";

const journal = mkdtempSync(join(tmpdir(), "cortex-acp-"));
afterAll(() => rmSync(journal, { recursive: true, force: true }));

const agent = {
  command: process.execPath,
  args: [expect.stringMatching(/^\/.*\/bin\/cortex\.js$/), "acp"],
  env: { JOURNAL_PATH: journal },
};

test("the entries name the program that is installed and the journal, in full", async () => {
  const { code, document } = await runCortexJson(journal, ["acp", "config"]);
  expect(code).toBe(0);
  expect(document).toEqual({
    zed: { agent_servers: { Cortex: { type: "custom", ...agent } } },
    jetbrains: { agent_servers: { Cortex: agent } },
    neovim: [
      { name: "Neovim, CodeCompanion", lua: expect.stringContaining('"acp" }') },
      { name: "Neovim, avante.nvim", lua: expect.stringContaining("acp_providers") },
    ],
  });
  const { zed } = document as { zed: { agent_servers: { Cortex: { args: string[] } } } };
  expect(existsSync(String(zed.agent_servers.Cortex.args[0]))).toBe(true);
});

test("one editor's entry stands below its file, with the persona of new sessions", async () => {
  const { stdout } = await runCortex(journal, ["acp", "config", "jetbrains", "-p", "reviewer"]);
  const [head, ...rest] = stdout.split("\n\n");
  expect(head).toBe("JetBrains (~/.jetbrains/acp.json):");
  expect(JSON.parse(rest.join("\n\n"))).toEqual({
    agent_servers: { Cortex: { ...agent, args: [...agent.args, "-p", "reviewer"] } },
  });
});

test("what there isn't is refused with what was probably meant", async () => {
  const refused = async (...args: string[]) => {
    const { code, stderr, stdout } = await runCortex(journal, ["acp", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    return stderr;
  };
  expect(await refused("config", "jetbrain")).toContain("cortex acp config jetbrains");
  expect(await refused("-p", "reviewr")).toContain("cortex acp -p reviewer");
  expect(await refused("serve")).toContain("cortex acp --help");
});
