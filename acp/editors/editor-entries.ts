/** The entries by which editors start `cortex acp`, and the files that they belong into. Pure. */

/** The program that an editor starts: it has neither our PATH nor our environment. */
export type StartedAgent = { command: string; args: string[]; env: Record<string, string> };

export type EditorEntry = { editor: string; file: string; entry: string };

export const editorNames = ["zed", "jetbrains", "neovim"] as const;
export type EditorName = (typeof editorNames)[number];

/** The entry as a value, of editors whose settings are JSON. */
export const jsonEntry: Record<Exclude<EditorName, "neovim">, (agent: StartedAgent) => object> = {
  zed: (agent) => ({ agent_servers: { Cortex: { type: "custom", ...agent } } }),
  jetbrains: (agent) => ({ agent_servers: { Cortex: agent } }),
};

/** The entries of an editor; Neovim has two plug-ins that speak the protocol. */
export function editorEntries(editor: EditorName, agent: StartedAgent): EditorEntry[] {
  if (editor === "zed")
    return [{ editor: "Zed", file: "~/.config/zed/settings.json", entry: json(jsonEntry.zed(agent)) }];
  if (editor === "jetbrains")
    return [{ editor: "JetBrains", file: "~/.jetbrains/acp.json", entry: json(jsonEntry.jetbrains(agent)) }];
  return [
    {
      editor: "Neovim, CodeCompanion",
      file: 'where you call require("codecompanion").setup',
      entry: codeCompanion(agent),
    },
    { editor: "Neovim, avante.nvim", file: 'where you call require("avante").setup', entry: avante(agent) },
  ];
}

const json = (value: object) => JSON.stringify(value, null, 2);

/** An adapter of one of its own with another program: it needs no key, and we ask for no login. */
const codeCompanion = ({ command, args, env }: StartedAgent) => `require("codecompanion").setup({
  adapters = {
    acp = {
      cortex = function()
        return require("codecompanion.adapters").extend("opencode", {
          name = "cortex",
          formatted_name = "Cortex",
          commands = { default = ${luaList([command, ...args])} },
          env = ${luaTable(env)},
        })
      end,
    },
  },
  interactions = { chat = { adapter = "cortex" } },
})`;

const avante = ({ command, args, env }: StartedAgent) => `require("avante").setup({
  provider = "cortex",
  acp_providers = {
    cortex = {
      command = ${luaText(command)},
      args = ${luaList(args)},
      env = ${luaTable(env)},
    },
  },
})`;

const luaList = (texts: readonly string[]) => `{ ${texts.map(luaText).join(", ")} }`;
const luaTable = (entries: Record<string, string>) =>
  `{ ${Object.entries(entries)
    .map(([name, text]) => `${name} = ${luaText(text)}`)
    .join(", ")} }`;

/** A text of Lua: its escapes of these are those of JSON. */
const luaText = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
