import { afterAll, expect, test } from "vitest";
import { runWithModel } from "../../backends/loop/agent.ts";
import { anthropic } from "../../backends/anthropic/provider.ts";
import { google } from "../../backends/google/provider.ts";
import { openaiEndpoint } from "../../backends/openai/endpoint/endpoint.ts";
import { openai, openaiAt } from "../../backends/openai/provider.ts";
import { openrouter } from "../../backends/openrouter/provider.ts";
import type { Provider } from "../../backends/provider/provider.ts";
import { type Run, runAgent } from "../../backends/loop/run/run.ts";
import { fromChain } from "../../conversation/from-events.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { testRun } from "../support/backends/agent-run.ts";
import { playAnthropic } from "../support/providers/anthropic.ts";
import { playGoogle } from "../support/providers/google.ts";
import { playChat, playOpenai } from "../support/providers/openai.ts";
import type { Play, Reply } from "../support/providers/played.ts";
import { ClaudeHome, turn } from "../support/backends/claude-run.ts";
import { startToolServer } from "../support/tool-server.ts";

const key = "sk-matrix-0123456789";

type Contestant = {
  play: Play;
  provider: (run: Run) => Provider;
  environment: (url: string) => Record<string, string>;
  config?: Record<string, unknown>;
};

const contestants: Record<string, Contestant> = {
  openai: {
    play: playOpenai,
    provider: ({ environment, config }) => openaiAt({ ...openaiEndpoint(environment), seller: "openai" }, config),
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
  },
  chat: {
    play: playChat,
    provider: (run) => openai(run.config, run.environment),
    environment: (url) => ({ OPENAI_API_KEY: key, OPENAI_BASE_URL: url }),
    config: { model: "local-model" },
  },
  anthropic: {
    play: playAnthropic,
    provider: (run) => anthropic(run.environment),
    environment: (url) => ({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url }),
  },
  google: {
    play: playGoogle,
    provider: (run) => google(run.environment),
    environment: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url }),
  },
  openrouter: {
    play: playChat,
    provider: (run) => openrouter(run.config, run.environment),
    environment: (url) => ({ OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: url }),
  },
};

/** Reasoning, a search of the provider's own where it has one, a call, reasoning again, two calls at once, an answer with a search. */
const replies = (who: string): Reply[] => [
  {
    turn: {
      thinking: `${who} wonders`,
      search: { query: `${who} seeks`, pages: [{ url: `https://${who}.test/first`, title: "First" }] },
      text: "Let me look.",
      calls: [{ tool: "echo", args: { text: `${who} 1` } }],
    },
  },
  {
    turn: {
      thinking: `${who} wonders again`,
      calls: [
        { tool: "echo", args: { text: `${who} 2` } },
        { tool: "fail", args: {} },
      ],
    },
  },
  {
    turn: {
      thinking: `${who} is sure`,
      search: { query: `${who} checks`, pages: [{ url: `https://${who}.test/last`, title: "Last" }] },
      text: `${who} has answered`,
    },
  },
];

/** The providers whose own search is used. */
const searching = ["openai", "anthropic", "google"];

const tools = await startToolServer();
afterAll(() => tools[Symbol.asyncDispose]());

/** A run on Claude Code, which has file tools of its own in place of ours. */
const claudeReplies = [
  turn({ text: "Let me look: claude 2.", calls: [{ tool: "Glob", args: { pattern: "*.md" } }] }),
  turn({ text: "claude has answered" }),
];
const home = new ClaudeHome();
afterAll(() => home[Symbol.asyncDispose]());

/** One run of a chain on a provider; returns its events and what the server found to refuse. */
async function take(
  name: string,
  chain: EventBody[][],
): Promise<{ events: EventBody[]; refusals: string[]; sent: unknown }> {
  const prompt = `question ${chain.length + 1}`;
  const request = { event: "request", prompt, backend: name };
  if (name === "claude") {
    const { events, refusals, requests } = await home.run({ prompt, history: fromChain(chain) }, claudeReplies);
    return { events: [request, ...events], refusals, sent: requests.at(-1)?.body };
  }
  const { play, provider, environment, config } = contestants[name] as Contestant;
  await using server = await play(replies(name));
  const run = {
    ...testRun({
      prompt,
      backend: name,
      history: fromChain(chain),
      mcp_server_url: tools.url,
      tools: ["echo", "fail", "web_search"],
      thinking_budget: 2048,
      max_tokens: 8192,
      ...config,
    }),
    environment: environment(server.url),
  };
  await runAgent(run, () => (own) => runWithModel(provider(own), own));
  return { events: [request, ...run.events], refusals: server.refusals, sent: server.requests.at(-1)?.body };
}

const names = Object.keys(contestants);
const pairs = names.flatMap((first) => names.map((second) => [first, second] as const));
const withClaude = names.flatMap((name) => [[name, "claude"] as const, ["claude", name] as const]);

test.each([...pairs, ...withClaude])(
  "a conversation that begins on %s goes on on %s, and back again",
  async (first, second) => {
    const chain: EventBody[][] = [];
    for (const name of [first, second, first]) {
      const { events, refusals, sent } = await take(name, chain);
      expect(refusals).toEqual([]);
      const links = searching.includes(name) ? `\n\nSources:\n- [Last](https://${name}.test/last)` : "";
      expect(events.at(-1)).toMatchObject({ event: "finish", result: `${name} has answered${links}` });
      expect(events.filter(({ event }) => event === "web_search")).toHaveLength(searching.includes(name) ? 2 : 0);
      // Everything that was said before reaches the model, whoever said it.
      for (const [index, former] of chain.entries()) {
        const who = former[0]?.["backend"];
        expect(JSON.stringify(sent)).toContain(`question ${index + 1}`);
        expect(JSON.stringify(sent)).toContain(`${String(who)} 2`);
        expect(JSON.stringify(sent)).toContain(`${String(who)} has answered`);
        // What a search found goes along as links, and as the provider's own blocks to itself alone.
        if (searching.includes(String(who))) expect(JSON.stringify(sent)).toContain(`https://${String(who)}.test/last`);
        if (searching.includes(name)) expect(JSON.stringify(sent).includes(`${String(who)} checks`)).toBe(who === name);
      }
      chain.push(events);
    }
  },
);
