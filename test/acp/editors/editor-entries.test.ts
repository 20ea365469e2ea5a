import { expect, test } from "vitest";
import { editorEntries } from "../../../acp/editors/editor-entries.ts";

const agent = { command: "/opt/node", args: ['/opt/it\'s "here".js', "acp"], env: { JOURNAL_PATH: "C:\\journal" } };
const [zed] = editorEntries("zed", agent);
const [jetbrains] = editorEntries("jetbrains", agent);

test("Zed's and JetBrains' entries are JSON with the program, its arguments and the journal", () => {
  expect(JSON.parse(zed?.entry ?? "")).toEqual({ agent_servers: { Cortex: { type: "custom", ...agent } } });
  expect(JSON.parse(jetbrains?.entry ?? "")).toEqual({ agent_servers: { Cortex: agent } });
  expect([zed?.file, jetbrains?.file]).toEqual(["~/.config/zed/settings.json", "~/.jetbrains/acp.json"]);
});

test("Neovim's entries are Lua, for either of its plug-ins, with texts as Lua escapes them", () => {
  const [codeCompanion, avante] = editorEntries("neovim", agent).map(({ entry }) => entry);
  const args = String.raw`"/opt/it's \"here\".js", "acp" }`;
  expect(codeCompanion).toContain(`commands = { default = { "/opt/node", ${args} }`);
  expect(avante).toContain(`args = { ${args}`);
  for (const entry of [codeCompanion, avante])
    expect(entry).toContain(String.raw`env = { JOURNAL_PATH = "C:\\journal" }`);
});
