/** A conversation of 500 turns with a model that has a window: its loop in this process, and every twentieth turn in one that is killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { z } from "zod";
import { runWithModel } from "../../../backends/loop/agent.ts";
import { runAgent } from "../../../backends/loop/run/run.ts";
import { fromHistory } from "../../../conversation/from-history.ts";
import { repair } from "../../../conversation/repair.ts";
import { addEvent } from "../../../conversation/said-events.ts";
import { Transcript } from "../../../conversation/transcript.ts";
import type { AgentEvent, EventBody } from "../../../protocol/runs/event.ts";
import type { Message } from "../../../protocol/runs/run-config.ts";
import { addedSpent, nothingSpent, spentBy } from "../../../protocol/runs/spent.ts";
import { sizeOf, wires, windowedModel } from "../../backends/loop/windowed-model.ts";
import { RecordedHistory } from "../../conversation/recorded-history.ts";
import { testRun } from "../../support/backends/agent-run.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";
import { talker } from "./talker.ts";

const turns = 500;
const everyTurns = 20;
const program = fileURLToPath(new URL("../../fixtures/talk-once.ts", import.meta.url));
const plantedAt = 3;
export const planted = "FACT-3-cranes";

export type Wire = keyof typeof wires;

export type TalkOptions = {
  wire: Wire;
  config: { model: string } & Record<string, unknown>;
  /** The model's window in a turn. */
  windowOf: (turn: number) => number;
  /** From 0 on. */
  random: (below: number) => number;
};

/** A server of pages, a thousand characters and more each. */
export const startPages = (): Promise<ToolServer> =>
  startToolServer({
    register: (mcp) =>
      mcp.registerTool("page", { description: "Reads a page.", inputSchema: { path: z.string() } }, ({ path }) => ({
        content: [{ type: "text", text: `Page ${path}: ${"lorem ipsum dolor ".repeat(40)}` }],
      })),
  });

/** Talks, and checks each turn. Resolves with the last answer. */
export async function talk({ wire, config, windowOf, random }: TalkOptions, pages: ToolServer) {
  const history = new RecordedHistory("2026-11-22-090807006-1.jsonl");
  const outcome = { answer: "", kills: 0, refused: 0, summaries: 0, spent: nothingSpent };
  await using workers = new Workers(wire);
  for (let turn = 1; turn <= turns; turn++) {
    const run_id = String(1_736_380_800_000 + turn * 1000);
    const prompt = `Turn ${turn}.${turn === plantedAt ? ` Keep ${planted} in mind.` : ""}${turn === turns ? " What do you know?" : ""}`;
    const before = fromHistory(history.records);
    const events: AgentEvent[] = [];
    const add = (event: EventBody) => {
      const seq = events.length + 1;
      events.push({ ...event, ts: Number(run_id) + seq, agent_id: run_id, seq });
      history.add(JSON.parse(JSON.stringify(events.at(-1))) as AgentEvent);
    };
    add({ event: "request", prompt, backend: wire, model: config.model });
    const asked = { ...config, prompt, mcp_server_url: pages.url, tools: ["page"] };
    let attempt = 1;
    if (turn % everyTurns === 0) {
      const line = 1 + random(7);
      const said = await workers.killedAt(line, { window: windowOf(turn), config: { ...asked, history: before } });
      for (const event of said) add(event);
      if (said.at(-1)?.event !== "finish") {
        outcome.kills++;
        attempt = 2;
      }
    }
    if (events.at(-1)?.event !== "finish") {
      const model = windowedModel(wires[wire], windowOf(turn), talker);
      const run = testRun({ ...asked, attempt, history: attempt === 1 ? before : afterAttempt(events, before) }, add);
      await runAgent(run, () => (own) => runWithModel(model, own));
      expect([turn, run.events.at(-1)?.event, run.events.at(-1)?.["error"]]).toEqual([turn, "finish", undefined]);
      expect([turn, model.faults]).toEqual([turn, []]);
      outcome.refused += model.refused;
      const spent = run.events
        .slice(0, -1)
        .reduce((sum, event) => addedSpent(sum, spentBy(event, sum) ?? nothingSpent), nothingSpent);
      const sent = [...model.calls, ...model.summaries].reduce((sum, call) => sum + sizeOf(call), 0);
      expect([turn, spent.input_tokens]).toEqual([turn, sent]);
      const { usage } = run.events.at(-1) as { usage?: { cost_usd?: number | null } & Record<string, unknown> };
      expect([turn, usage?.["input_tokens"], usage?.["output_tokens"]]).toEqual([turn, sent, spent.output_tokens]);
      if (typeof usage?.cost_usd === "number") expect(usage.cost_usd).toBeCloseTo(spent.cost_usd, 8);
      outcome.spent = addedSpent(outcome.spent, spent);
    }
    outcome.answer = String(events.at(-1)?.["result"]);
    outcome.summaries = history.summaries;
  }
  return outcome;
}

/** As cortex reads it of the run's file. */
function afterAttempt(events: readonly AgentEvent[], before: readonly Message[]): Message[] {
  const transcript = new Transcript();
  for (const event of events) addEvent(transcript, event);
  const messages = repair(transcript.messages());
  if (transcript.isFromSummary) return messages;
  return messages.some(({ role }) => role !== "user") ? [...before, ...messages] : [...before];
}

/** Processes that run one turn each; the next one is started while turns go on without it. */
class Workers implements AsyncDisposable {
  readonly #wire: Wire;
  #next: ChildProcess;

  constructor(wire: Wire) {
    this.#wire = wire;
    this.#next = this.#start();
  }

  /** Has one killed with -9 when it has said so many lines. Returns the events that it had said. */
  async killedAt(line: number, asked: Record<string, unknown>): Promise<EventBody[]> {
    const worker = this.#next;
    const gone = once(worker, "close");
    let problems = "";
    worker.stderr?.setEncoding("utf8").on("data", (text: string) => (problems += text));
    worker.stdin?.end(`${JSON.stringify({ wire: this.#wire, killedAt: line, ...asked })}\n`);
    const events: EventBody[] = [];
    if (worker.stdout)
      for await (const said of createInterface({ input: worker.stdout })) {
        if (!said.endsWith("}")) continue;
        events.push(JSON.parse(said) as EventBody);
      }
    await gone;
    expect(problems).toBe("");
    this.#next = this.#start();
    return events;
  }

  #start(): ChildProcess {
    return spawn(process.execPath, [program], { stdio: "pipe" });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#next, "close");
    this.#next.kill("SIGKILL");
    await gone;
  }
}
