/** Options for starting Claude Code: confined to the run's folder, without the user's own set-up. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { homeFolder } from "../../proc/os/home-folder.ts";
import type { RunConfig } from "../../protocol/runs/run-config.ts";
import type { Run } from "../loop/run/run.ts";
import { guardOf, offeredTools } from "./confinement.ts";

/** An alias of Claude Code's own, which names the newest model of that kind. */
export const defaultModel = "sonnet";

export const defaultMaxTurns = 50;

/** From docs/contract.md: 8 attempts, the first one included. */
const retries = 7;

/** @param folder where it works, and all that it can reach */
export function optionsFor({ config, environment }: Run, folder: string): Options {
  const guard = guardOf(folder);
  const { model = defaultModel, max_turns: maxTurns = defaultMaxTurns, thinking_budget: budget } = config;
  const maxCostUsd = config["max_cost_usd"];
  return {
    cwd: folder,
    env: environmentFor(config, environment),
    model,
    maxTurns: Math.max(1, Math.floor(maxTurns)),
    ...(typeof maxCostUsd === "number" && { maxBudgetUsd: maxCostUsd }),
    ...(budget !== undefined && {
      thinking: budget > 0 ? { type: "enabled", budgetTokens: budget } : { type: "disabled" },
    }),
    // Not recorded with the session: a later run that resumes it may have another persona.
    systemPrompt: { type: "custom", prompt: systemPrompt(config), snapshot: false },
    includePartialMessages: true,

    // Three locks on one door. It has no other tools; each call is looked at before it is asked for, and again when Claude Code
    // would ask a user. That it asks is the mode's meaning.
    tools: [...offeredTools],
    permissionMode: "default",
    hooks: {
      PreToolUse: [
        {
          hooks: [
            (input) => {
              if (input.hook_event_name !== "PreToolUse") return Promise.resolve({});
              const decision = guard(input.tool_name, input.tool_input);
              return Promise.resolve({
                hookSpecificOutput: {
                  hookEventName: "PreToolUse",
                  ...(decision.isAllowed
                    ? { permissionDecision: "allow", updatedInput: decision.args }
                    : { permissionDecision: "deny", permissionDecisionReason: decision.reason }),
                },
              });
            },
          ],
        },
      ],
    },
    canUseTool: (tool, args) => {
      const decision = guard(tool, args);
      return Promise.resolve(
        decision.isAllowed
          ? { behavior: "allow", updatedInput: decision.args }
          : { behavior: "deny", message: decision.reason },
      );
    },

    // Nobody's settings, hooks, memory, skills or servers. An "@path" in a prompt would be read from anywhere, before any
    // permission is asked: texts go to the model as they are.
    settingSources: [],
    strictMcpConfig: true,
    mcpServers: {},
    plugins: [],
    skills: [],
    verbatimPrompts: true,
  };
}

function systemPrompt({ instruction, extra_context: context }: RunConfig): string[] {
  const place = "Your tools read and write files in the working directory, and nowhere else. There is no shell.";
  return [instruction ?? "", place, context ?? ""].filter((text) => text !== "");
}

/** Environment: that of the run's own process, and variables that switch off what a run of Claude Code doesn't need. */
function environmentFor(config: RunConfig, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...environment,
    CLAUDE_CONFIG_DIR: configFolder(environment),
    // No telemetry, error reports, updates, surveys.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    // No memory outside of the folder, neither read nor written, and no servers of a claude.ai account.
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    ENABLE_CLAUDEAI_MCP_SERVERS: "false",
    // A call that fails is tried again as it was, and a refusal is the end: neither is made into something else unseen.
    CLAUDE_CODE_MAX_RETRIES: String(config.retry_seconds?.length ?? retries),
    CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: "1",
    CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK: "1",
    CLAUDE_CODE_DISABLE_REFUSAL_RETRY: "1",
    ...(config.max_tokens !== undefined && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(config.max_tokens) }),
  };
}

/**
 * Folder for Claude Code's sessions. With a key it needs nothing of the user's: a private folder beside the journal's usual
 * place, so that a later run finds the session again. Without one its own login is needed, which stands in its usual folder.
 */
function configFolder(environment: NodeJS.ProcessEnv): string | undefined {
  if (!environment["ANTHROPIC_API_KEY"]) return environment["CLAUDE_CONFIG_DIR"];
  const folder = join(
    environment["XDG_DATA_HOME"] || join(homeFolder(environment, "Claude Code's sessions"), ".local", "share"),
    "cortex",
    "claude",
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}
