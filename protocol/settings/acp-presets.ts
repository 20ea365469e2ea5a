/** The coding agents that are backends by their name alone, where their program is installed: each speaks the Agent Client Protocol. */
import type { ModelProviderName } from "./model-providers.ts";

/**
 * @field command the program and its arguments
 * @field providers whose keys it takes; none: it has a login of its own alone, whose calls nobody can meter
 * @field install the command that installs it
 * @field tried the version that the tests have run; null: none, so that only the protocol is known to fit
 */
export type AcpPreset = {
  command: readonly [string, ...string[]];
  providers: readonly ModelProviderName[];
  install: string;
  tried: string | null;
};

export const acpPresets = {
  codex: {
    command: ["codex-acp"],
    providers: ["openai"],
    install: "npm install -g @agentclientprotocol/codex-acp",
    tried: "2.6.0",
  },
  "gemini-cli": {
    command: ["gemini", "--acp"],
    providers: ["google"],
    install: "npm install -g @google/gemini-cli",
    tried: "0.61.0",
  },
  opencode: {
    command: ["opencode", "acp"],
    providers: ["anthropic", "openai", "google", "openrouter"],
    install: "npm install -g opencode-ai",
    tried: "1.18.33",
  },
  "claude-code": {
    command: ["claude-agent-acp"],
    providers: ["anthropic"],
    install: "npm install -g @agentclientprotocol/claude-agent-acp",
    tried: "0.101.0",
  },
  copilot: { command: ["copilot", "--acp"], providers: [], install: "npm install -g @github/copilot", tried: null },
  goose: {
    command: ["goose", "acp"],
    providers: ["anthropic", "openai", "google", "openrouter"],
    install: "see https://github.com/block/goose",
    tried: null,
  },
  qwen: {
    command: ["qwen", "--acp"],
    providers: ["openai"],
    install: "npm install -g @qwen-code/qwen-code",
    tried: null,
  },
  pi: {
    command: ["pi-acp"],
    providers: ["anthropic", "openai", "google", "openrouter"],
    install: "npm install -g pi-acp @earendil-works/pi-coding-agent",
    tried: null,
  },
} as const satisfies Record<string, AcpPreset>;

export type AcpPresetName = keyof typeof acpPresets;

/** The names of the presets, as the table has them. */
export const acpPresetNames = Object.keys(acpPresets) as AcpPresetName[];

/** The preset of a name, or undefined. */
export const acpPreset = (name: string): AcpPreset | undefined =>
  Object.hasOwn(acpPresets, name) ? acpPresets[name as AcpPresetName] : undefined;
