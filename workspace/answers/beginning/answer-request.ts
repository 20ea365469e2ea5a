/** The request of an answer's run: who answers, by which rules, and what it is shown. Pure. */
import { allTools, packs } from "../../../protocol/settings/packs.ts";
import type { Request } from "../../../protocol/runs/request/request.ts";
import type { Trust } from "../../../protocol/runs/request/trust.ts";
import type { AnswerSettings } from "../../../protocol/settings/workspace-settings.ts";
import type { AgentContext, ContextTurn } from "../../context/assemble-context.ts";
import type { AgentConfig } from "../../records/agent.ts";

/** People wait for it, so it starts before scheduled runs. */
const priority = 20;

/** Files of the context that go along, the newest ones: cortex takes no more. */
const mostFiles = 200;

/** How much longer than its answer a run may last: it may wait for a rate limit, or for a person. In seconds. */
const waitSeconds = 3600;

export function answerRequest(
  runId: number,
  config: AgentConfig,
  { instruction, turns }: AgentContext,
  settings: AnswerSettings,
  { trust, maxCostUsd, maySearch }: { trust: Trust; maxCostUsd: number | null; maySearch: boolean },
): Request {
  const said = withNewestFiles(turns);
  const { text: prompt = "", attachments } = said.at(-1) ?? {};
  const { backend, model, max_tokens, sandbox, limits } = config;
  const names = toolNames(config.tools, maySearch);
  return {
    ts: runId,
    prompt,
    ...(attachments && { attachments }),
    conversation: said.slice(0, -1),
    instruction,
    ...(config.persona !== null && { persona: config.persona }),
    ...(backend !== null && { backend }),
    ...(model !== null && { model }),
    max_tokens,
    ...(names.length > 0 ? { tools: names } : { disable_mcp: true }),
    ...(sandbox !== null && { sandbox }),
    trust,
    ...limits,
    ...(maxCostUsd !== null && { max_cost_usd: Math.min(maxCostUsd, limits.max_cost_usd ?? maxCostUsd) }),
    retry_seconds: settings.retry_seconds,
    timeout_seconds: settings.answer_timeout_seconds + waitSeconds,
    idle_timeout_seconds: settings.answer_timeout_seconds + waitSeconds,
    priority,
    stream: true,
  };
}

type Said = { role: "user" | "assistant"; text: string; attachments?: { id: string }[] };

function withNewestFiles(turns: readonly ContextTurn[]): Said[] {
  let left = mostFiles;
  const said = turns.toReversed().map(({ role, text, parts }): Said => {
    const files = parts.slice(0, left).map(({ id }) => ({ id }));
    left -= files.length;
    return { role, text, ...(files.length > 0 && { attachments: files }) };
  });
  return said.toReversed();
}

/** An agent has it only when it is asked to search, whatever its own tools are. */
const searchTool = "search_threads";

/** Tools by name, packs as the tools in them; anything else is an external server or an app, with all of its tools. */
function toolNames(tools: readonly string[], maySearch: boolean): string[] {
  const named = tools.flatMap((name): readonly string[] => {
    if (Object.hasOwn(packs, name)) return packs[name] ?? [];
    return allTools.includes(name) || name.includes(".") ? [name] : [`${name}.*`];
  });
  const others = named.filter((name) => name !== searchTool);
  return [...new Set(maySearch ? [...others, searchTool] : others)];
}
