/** Twenty calls of tools in one run, beside a bare loop that does the same calls on the same server. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEndpoints } from "../../journal/access/endpoints.ts";
import { commandsToken } from "../../journal/access/tokens.ts";
import { packageFile } from "../../proc/programs/package-file.ts";
import type { Reply } from "../../test/support/providers/played.ts";
import { UpJournal } from "../../test/supervisor/up-process.ts";
import { ask, settled } from "../harness/ask.ts";
import { bareScript, timeBare } from "../harness/made/bare-process.ts";
import type { Benchmark, Row } from "../harness/figures/benchmark.ts";
import { openai } from "../harness/made/models.ts";
import { quiet } from "../harness/quiet.ts";
import { until } from "../harness/until.ts";
import { startUp } from "../harness/up.ts";

const calls = 20;

/** The tools that only read, one of each pack, and the search. */
const tools: Record<string, Record<string, unknown>> = {
  search_journal: { query: "greenhouse" },
  get_resource: { path: "20250109/notes.md" },
  list_facets: {},
  todo_upcoming: {},
  entity_list: { facet: "garden" },
};

export const measure: Benchmark = async ({ rounds, isQuick }) => {
  const turn: Reply = { turn: { calls: [{ tool: "list_facets", args: {} }] } };
  const script: Reply[] = [...Array.from({ length: calls }, () => turn), { turn: { text: "done" } }];
  await using server = await openai.play(Array.from({ length: 2 * (1 + rounds) }, () => script).flat());
  const env = openai.environment(server.url);
  using served = new ServerTimes();
  await using journal = new UpJournal({ ...openai.settings, loop_limit: calls + 1 }, { ...env, ...served.env });
  cpSync(packageFile("examples/journal"), journal.path, {
    recursive: true,
    filter: (path) => !path.endsWith("cortex.json"),
  });
  const { stop } = await startUp(journal);
  await using bus = await journal.client();
  const access = { MCP_URL: readEndpoints(journal.path)?.mcp_url ?? "", MCP_TOKEN: await commandsToken(journal.path) };
  const loop = [process.execPath, bareScript("tool-loop.mjs")];

  const ours: number[] = [];
  const figures: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const bare = await timeBare(loop, { ...env, ...access });
    await quiet(journal.path, Object.values(journal.pids()));
    const { agentId, ms } = await ask(bus, { prompt: "hello", tools: ["list_facets"] });
    await settled(journal.path, agentId);
    if (round < 0) continue; // warms up
    figures.push(bare);
    ours.push(ms);
  }
  if (server.refusals.length > 0) throw new Error(server.refusals.join("; "));
  const single: Row[] = [];
  for (const [name, args] of Object.entries(tools)) {
    const count = isQuick ? 50 : 500;
    const before = served.count;
    const whole = await timeCalls(access, name, args, count);
    const inServer = await served.since(before, count);
    single.push({ what: `a call of ${name}: time in the server`, unit: "ms", ours: inServer, target: { atMost: 2 } });
    single.push({ what: `a call of ${name}: with its way there and back`, unit: "ms", ours: whole, target: null });
  }
  await stop();
  const comparedWith = { what: "bare loop", figures };
  return [
    { what: `${calls} tool calls in a run: wall`, unit: "ms", ours, comparedWith, target: { atMost: 1.5 } },
    ...single,
  ];
};

/** How long requests take in the tool server, by its own clock. */
class ServerTimes implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "server-times-"));
  readonly #file = join(this.#folder, "ms");
  readonly env = {
    NODE_OPTIONS: `--import ${packageFile("bench/harness/figures/server-times.ts")}`,
    SERVER_TIMES: this.#file,
  };

  get count(): number {
    return this.#times.length;
  }

  /** Waits for the times of so many requests behind these. A request is answered before it is noted. */
  async since(before: number, count: number): Promise<number[]> {
    await until(() => this.count >= before + count, "all requests are noted");
    return this.#times.slice(before);
  }

  get #times(): number[] {
    return readFileSync(this.#file, "utf8").trim().split("\n").map(Number);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }
}

/** Times a call over a connection that is open, in ms. */
async function timeCalls(
  { MCP_URL, MCP_TOKEN }: { MCP_URL: string; MCP_TOKEN: string },
  name: string,
  args: Record<string, unknown>,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let id = 0; id < count; id++) {
    const started = performance.now();
    const response = await fetch(MCP_URL, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${MCP_TOKEN}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } }),
    });
    const text = await response.text();
    times.push(performance.now() - started);
    if (!text.includes('"result"') || text.includes('"isError":true'))
      throw new Error(`${name}: ${text.slice(0, 500)}`);
  }
  return times;
}
