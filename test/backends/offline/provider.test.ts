import { beforeAll, afterAll, expect, test } from "vitest";
import { z } from "zod";
import { offline } from "../../../backends/offline/provider.ts";
import { fromChain } from "../../../conversation/from-events.ts";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { makeJournal, startTools } from "../../mcp-tools/tools-server.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";

const files: Record<string, string> = {
  "20250109/notes.md:3": "We ordered beech seedlings for the hedge, forty of them.",
  "20250109/notes.md:9": "# Hedge",
  "20250110/notes.md:1": "The hedge stands.",
  "facets/garden/events/20250109.jsonl:2": "10:00–10:30 Nursery called: the seedlings are ready",
};

/** Finds lines with any of the words, as the real search does, and reads a line of `files`. */
let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer({
    register: (mcp) => {
      const text = (lines: string[]) => ({
        content: [{ type: "text" as const, text: lines.join("\n") || "nothing found" }],
      });
      const input = {
        query: z.string(),
        limit: z.number().optional(),
        day_from: z.string().optional(),
        day_to: z.string().optional(),
      };
      mcp.registerTool("search_journal", { inputSchema: input }, ({ query, day_from = "0", day_to = "9" }) => {
        const words = query.split(" ");
        const found = Object.entries(files).filter(([place, line]) => {
          const [day = ""] = /\d{8}/.exec(place) ?? [];
          const isAsked = query === "*" || words.some((word) => line.toLowerCase().includes(word));
          return day >= day_from && day <= day_to && isAsked;
        });
        return text(found.map(([place, line]) => `${place}: ${line}`));
      });
      mcp.registerTool("get_events", { inputSchema: { day: z.string() } }, ({ day }) =>
        text(
          Object.entries(files).flatMap(([place, line]) =>
            place.includes(`events/${day}`) ? [`${place}: ${line}`] : [],
          ),
        ),
      );
      mcp.registerTool(
        "get_resource",
        { inputSchema: { path: z.string(), from: z.number(), to: z.number() } },
        ({ path, from }) => {
          const line = files[`${path}:${from}`];
          if (line === undefined) throw new Error(`no line ${from} in ${path}`);
          return text(line === "# Hedge" ? [line, "", "It keeps the wind out.", "", "More."] : [line]);
        },
      );
    },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

async function ask(
  prompt: string,
  config: Record<string, unknown> = {},
): Promise<{ run: TestRun; answer: string; calls: string[] }> {
  const run = testRun({ prompt, backend: "offline", mcp_server_url: server.url, ...config });
  await runScript(run, offline(run.config));
  const calls = run.named("tool_start").map(({ tool, args }) => `${String(tool)} ${JSON.stringify(args)}`);
  return { run, answer: String(run.events.at(-1)?.["result"]), calls };
}

test("the offline model searches for the words of the question, reads on at a bare heading, and answers with sources", async () => {
  const { run, answer, calls } = await ask("What about the hedge?");
  expect(calls).toEqual([
    'search_journal {"query":"hedge","limit":20}',
    'get_resource {"path":"20250109/notes.md","from":3,"to":11}',
    'get_resource {"path":"20250109/notes.md","from":9,"to":17}',
    'get_resource {"path":"20250110/notes.md","from":1,"to":9}',
  ]);
  expect(answer).toBe(`From the journal, about hedge:

Thursday 9 January 2025
- We ordered beech seedlings for the hedge, forty of them. (20250109/notes.md:3)
- Hedge: It keeps the wind out. (20250109/notes.md:9)

Friday 10 January 2025
- The hedge stands. (20250110/notes.md:1)`);
  expect(run.events.at(-1)).toMatchObject({ usage: { model: "extractive", total_tokens: 0, cost_usd: 0 } });
});

test("the same question has the same answer", async () => {
  expect(await ask("hedge and seedlings").then(({ answer }) => answer)).toBe((await ask("hedge and seedlings")).answer);
});

test("a day that is named limits the search and brings its events", async () => {
  const { answer, calls } = await ask("seedlings on 2025-01-09?");
  expect(calls).toContain('search_journal {"query":"seedlings","limit":20,"day_from":"20250109","day_to":"20250109"}');
  expect(calls).toContain('get_events {"day":"20250109"}');
  expect(answer).toContain(
    "- 10:00–10:30 Nursery called: the seedlings are ready (facets/garden/events/20250109.jsonl:2)",
  );
  expect(answer).not.toContain("20250110");
});

test("yesterday is the day before the one that the context names", async () => {
  const { calls } = await ask("What happened yesterday?", {
    extra_context: "Now: Friday 10 January 2025 at 08:00 (UTC).",
  });
  expect(calls).toContain('get_events {"day":"20250109"}');
});

test("a run about another day than today is about that day", async () => {
  const { calls } = await ask("Write the digest.", { day: "20250109", extra_context: "Now: Friday 10 January 2025." });
  expect(calls).toContain('get_events {"day":"20250109"}');
});

test("a follow-up with hardly any words is about what was asked before", async () => {
  const first = await ask("What about the hedge and the beech?");
  const history = fromChain([
    [{ event: "request", prompt: "What about the hedge and the beech?" }, ...first.run.events],
  ]);
  const { answer, calls } = await ask("And on 10 January 2025?", { history });
  expect(calls[0]).toContain('"query":"hedge beech","limit":20,"day_from":"20250110"');
  expect(answer).toContain("The hedge stands.");
});

test("an empty search is said plainly, with the words searched for", async () => {
  const { answer } = await ask("unicorns");
  expect(answer).toMatch(/^Nothing was found in the journal about unicorns\.\n/);
});

test("a run without tools says so", async () => {
  expect((await ask("hedge", { disable_mcp: true })).answer).toMatch(/^I have no tool to look into the journal with/);
  expect((await ask("hedge", { tools: ["echo"] })).answer).toMatch(/^I have no tool/);
});

test("a question without words asks nothing, and says why", async () => {
  const { answer, calls } = await ask("Tell me more, please.");
  expect(calls).toEqual([]);
  expect(answer).toContain("it has no words to look for");
});

test("a call sends only the arguments that a server's tool knows", async () => {
  const { calls } = await ask("hedge", { facet: "garden", tools: ["search_journal"] });
  expect(calls).toEqual(['search_journal {"query":"hedge","limit":20}']);
});

test("an answer that is handed on for review has its sources looked up", async () => {
  const { answer, calls } = await ask(
    [
      "Ordered beech seedlings for the hedge. (20250109/notes.md:3)",
      "The boat was sold to Henrik. (20250110/notes.md:1)",
      "Nobody knows the colour of unicorns. (20250111/notes.md:7)",
    ].join("\n"),
  );
  expect(calls.every((text) => text.startsWith("get_resource"))).toBe(true);
  expect(answer).toBe(`Looked up 3 sources that the text names: 2 should be checked.

Can't be read:
- 20250111/notes.md:7

There, but with other words than the text:
- The hedge stands. (20250110/notes.md:1)

There, as the text says:
- We ordered beech seedlings for the hedge, forty of them. (20250109/notes.md:3)`);
});

test("the offline model streams its answer line by line", async () => {
  const { run, answer } = await ask("hedge", { stream: true });
  const deltas = run.named("text_delta").map(({ text }) => text);
  expect(deltas.length).toBeGreaterThan(3);
  expect(deltas.join("")).toBe(answer);
});

test("the offline model answers from the example journal with the real tools", async () => {
  using journal = makeJournal("example");
  await using tools = await startTools(journal.journal);
  const config = { mcp_server_url: tools.url, mcp_token: await commandsToken(journal.journal) };
  const { answer } = await ask("What did I decide about the greenhouse heater?", config);
  expect(answer).toContain("electric fan heater");
  expect(answer).toMatch(/\(20250111\/notes\.md:\d+\)/);
  const review = await ask(answer, config);
  expect(review.answer).toMatch(/^Looked up \d+ sources that the text names: each is there/);
});

test("a question about a day is answered with that day, its notes and its events, in whichever language", async () => {
  using journal = makeJournal("example");
  await using tools = await startTools(journal.journal);
  const config = { mcp_server_url: tools.url, mcp_token: await commandsToken(journal.journal) };
  for (const question of [
    "What happened on 11 January 2025?",
    "Was ist am 11. Januar 2025 passiert?",
    "Que s’est-il passé le 11 janvier 2025 ?",
    "¿Qué pasó el 11 de enero de 2025?",
    "2025年1月11日に何がありましたか？",
    "2025年1月11日发生了什么？",
  ]) {
    const { answer } = await ask(question, config);
    expect(answer, question).toContain("We decided on an electric fan heater: 1 kW");
    expect(answer, question).toContain("Ordered tomatoes (two sorts), basil and the long red peppers");
    expect(answer, question).toContain("facets/garden/events/20250111.jsonl:1");
    expect(answer.match(/Greenhouse heater decided/g), question).toHaveLength(1);
    expect(answer, question).not.toMatch(/202501(?!11)\d\d\//);
  }
  // Words still choose among what a day has.
  const { answer } = await ask("Was wurde am 11. Januar 2025 über peppers notiert?", config);
  expect(answer).toContain("long red peppers");
  expect(answer).not.toContain("fan heater: 1 kW");
  // A day without any of the words is told whole, and not as if it had them.
  const other = await ask("Was haben wir am 11. Januar 2025 über die Pumpe und den Zaun gemacht?", config);
  expect(other.answer).toMatch(
    /^Nothing was found about pumpe, zaun.* on Saturday 11 January 2025\. What that day has:/,
  );
  expect(other.answer).toContain("We decided on an electric fan heater: 1 kW");
  expect(other.answer).toContain("facets/garden/events/20250111.jsonl:1");
});
