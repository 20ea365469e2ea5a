/**
 * Set-ups of coding agents that are known by name: how each finds its provider at the address that the run has, keeps its own
 * files apart from the user's, and asks before it acts.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { homeFolder } from "../../proc/os/home-folder.ts";
import type { RunConfig } from "../../protocol/runs/run-config.ts";
import type { AcpPresetName } from "../../protocol/settings/acp-presets.ts";
import { modelProviders } from "../../protocol/settings/model-providers.ts";

type Variables = NodeJS.ProcessEnv;

export type AgentSetup = {
  /** The variables that it gets beside the run's. */
  env: Variables;
  /** The mode in which it works where the run names none: one that asks before it acts. */
  mode?: string;
  /** The way to log in that takes the run's key. */
  login?: string;
  /** Whether the title of a call that runs a command is the command. */
  titleIsCommand?: true;
  /** Whether the variables say which model it asks. */
  hasModel?: true;
  /** Whether it makes namespaces of its own, for which it needs a `/proc` that shows its processes. */
  needsOwnProc?: boolean;
};

type SetupOf = (config: RunConfig, environment: Variables) => AgentSetup;

const setups: Partial<Record<AcpPresetName, SetupOf>> = {
  "claude-code": ({ model }, environment) => ({
    mode: "default",
    hasModel: true,
    env: {
      ...(environment["ANTHROPIC_API_KEY"] && { CLAUDE_CONFIG_DIR: ownFolder("claude-code", environment) }),
      ...(model !== undefined && { ANTHROPIC_MODEL: model }),
      // No telemetry, error reports, updates, surveys.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      // Our tools are there from the start, instead of being searched for by a call more.
      ENABLE_TOOL_SEARCH: "false",
    },
  }),
  codex: ({ model, acp }, environment) => {
    const { OPENAI_API_KEY: key, OPENAI_BASE_URL: base_url = modelProviders.openai.usual } = environment;
    // One of our own needs no login beside the key.
    const cortex = { name: "cortex", base_url, env_key: "OPENAI_API_KEY", wire_api: "responses" };
    const config = {
      ...(model !== undefined && { model }),
      ...(key && { model_provider: "cortex", model_providers: { cortex } }),
    };
    return {
      // Its own sandbox can't be made inside of ours, which holds it already.
      mode: acp?.is_walled ? "agent-full-access" : "workspace-write",
      hasModel: true,
      needsOwnProc: !acp?.is_walled,
      env: {
        ...(key && { CODEX_HOME: ownFolder("codex", environment) }),
        ...(key && { MODEL_PROVIDER: "cortex" }),
        CODEX_CONFIG: JSON.stringify(config),
        NO_BROWSER: "1",
      },
    };
  },
  "gemini-cli": ({ model }, environment) => ({
    mode: "default",
    titleIsCommand: true,
    hasModel: true,
    ...(environment["GEMINI_API_KEY"] && { login: "gemini-api-key" }),
    env: {
      ...(environment["GEMINI_API_KEY"] && { GEMINI_CLI_HOME: ownFolder("gemini-cli", environment) }),
      ...(model !== undefined && { GEMINI_MODEL: model }),
      // In a folder that it doesn't trust it offers no tools of others, and doesn't say so.
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
  }),
  opencode: ({ model }, environment) => ({
    hasModel: true,
    env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(model, environment)) },
  }),
};

/** Names by which opencode calls the providers, with the variables of each; its clients add the rest of the path to `/v1`. */
const opencodeProviders = [
  { name: "anthropic", key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL", path: "/v1" },
  { name: "openai", key: "OPENAI_API_KEY", address: "OPENAI_BASE_URL", path: "" },
  { name: "google", key: "GEMINI_API_KEY", address: "GOOGLE_GEMINI_BASE_URL", path: "/v1beta" },
  { name: "openrouter", key: "OPENROUTER_API_KEY", address: "OPENROUTER_BASE_URL", path: "" },
] as const;

function opencodeConfig(model: string | undefined, environment: Variables): Record<string, unknown> {
  const there = opencodeProviders.filter(({ key }) => environment[key]);
  const providers = there.map(({ name, key, address, path }) => {
    const url = environment[address];
    return [name, { options: { apiKey: `{env:${key}}`, ...(url && { baseURL: `${url}${path}` }) } }];
  });
  return {
    autoupdate: false,
    share: "disabled",
    // All that isn't asked about is allowed there.
    permission: { edit: "ask", bash: "ask", webfetch: "ask", external_directory: "ask" },
    ...(model !== undefined && { model }),
    // A login of the user's would pass the limits by.
    ...(there.length > 0 && {
      enabled_providers: there.map(({ name }) => name),
      provider: Object.fromEntries(providers),
    }),
  };
}

/** The set-up of the agent that a run asks for. Of one that isn't known by name: nothing but the run's own environment. */
export function agentSetup(config: RunConfig, environment: Variables): AgentSetup {
  const name = config.backend ?? "";
  const setup = Object.hasOwn(setups, name) ? setups[name as AcpPresetName] : undefined;
  return setup?.(config, environment) ?? { env: {} };
}

/** The folder for what an agent keeps, its sessions among it, where it has the run's key instead of a login of the user's. */
export function ownFolder(name: string, environment: Variables): string {
  const data = environment["XDG_DATA_HOME"] || join(homeFolder(environment, "what agents keep"), ".local", "share");
  const folder = join(data, "cortex", "agents", name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
