import { expect, test } from "vitest";
import { Request } from "../../../../protocol/runs/request/request.ts";
import { answerSettings } from "../../../../protocol/settings/workspace-settings.ts";
import { answerRequest } from "../../../../workspace/answers/beginning/answer-request.ts";
import type { AgentContext } from "../../../../workspace/context/assemble-context.ts";
import { AgentConfig } from "../../../../workspace/records/agent.ts";

const configOf = (fields: Partial<AgentConfig>) =>
  AgentConfig.parse({ name: "coder", display_name: "Coder", system_prompt: "You code.", ...fields });
const context: AgentContext = {
  instruction: "You code.",
  turns: [
    { role: "user", text: "[Bo]: Hello.", parts: [] },
    { role: "assistant", text: "Hello, Bo.", parts: [] },
    { role: "user", text: "The person asking is Ada (role: admin).\n\nWhy?", parts: [] },
  ],
  messageIds: [],
};
const trust = {} as Parameters<typeof answerRequest>[4]["trust"];
const requestOf = (fields: Partial<AgentConfig>, maxCostUsd: number | null = null) =>
  answerRequest(1_767_950_000_000, configOf(fields), context, answerSettings(), {
    trust,
    maxCostUsd,
    maySearch: false,
  });

test("a request has the conversation before its prompt, and the agent's own text as its instruction", () => {
  const request = requestOf({ backend: "openai", model: "gpt-5", max_tokens: 77, sandbox: "required" });
  expect(request).toMatchObject({
    prompt: "The person asking is Ada (role: admin).\n\nWhy?",
    conversation: [
      { role: "user", text: "[Bo]: Hello." },
      { role: "assistant", text: "Hello, Bo." },
    ],
    instruction: "You code.",
    backend: "openai",
    model: "gpt-5",
    max_tokens: 77,
    sandbox: "required",
    retry_seconds: [1, 5, 15],
    disable_mcp: true,
    stream: true,
  });
  const { trust: _, ...known } = request;
  expect(Request.safeParse(known).error).toBeUndefined();
});

test("an agent's tools may be packs, single tools, and servers of others", () => {
  const { tools } = requestOf({ tools: ["todo", "search_journal", "tracker", "wiki.search"] });
  expect(tools).toEqual([
    "todo_list",
    "todo_add",
    "todo_done",
    "todo_cancel",
    "todo_upcoming",
    "search_journal",
    "tracker.*",
    "wiki.search",
  ]);
});

test("an answer costs no more than its agent's limit, nor than what is reserved for it", () => {
  expect(requestOf({ limits: { max_cost_usd: 2, max_turns: 3 } })).toMatchObject({ max_cost_usd: 2, max_turns: 3 });
  expect(requestOf({ limits: { max_cost_usd: 2 } }, 0.5)).toMatchObject({ max_cost_usd: 0.5 });
  expect(requestOf({ limits: { max_cost_usd: 0.2 } }, 0.5)).toMatchObject({ max_cost_usd: 0.2 });
});

test("the newest files go along where there are more than cortex takes", () => {
  const file = (id: string) => ({ type: "file" as const, id, name: id, mime: "text/plain", size: 1 });
  const turns = Array.from({ length: 30 }, (_, turn) => ({
    role: "user" as const,
    text: `${turn}`,
    parts: Array.from({ length: 10 }, (__, index) => file(`${turn}-${index}`)),
  }));
  const request = answerRequest(1, configOf({}), { ...context, turns }, answerSettings(), {
    trust,
    maxCostUsd: null,
    maySearch: false,
  });
  expect(request.attachments).toHaveLength(10);
  const counts = request.conversation?.map(({ attachments = [] }) => attachments.length);
  expect(counts).toEqual([...Array<number>(10).fill(0), ...Array<number>(19).fill(10)]);
});
