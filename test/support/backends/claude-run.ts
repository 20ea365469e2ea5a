/** Runs of the `claude` backend in this process: the real SDK and its real program, in a folder and a home of their own. */
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { claude } from "../../../backends/claude/backend.ts";
import { systemClock } from "../../../backends/provider/clock.ts";
import { runAgent } from "../../../backends/loop/run/run.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { testRun } from "./agent-run.ts";
import { processesOf } from "../journal-processes.ts";
import { patienceMs } from "../patience.ts";
import { type ClaudeReply, playClaudeApi } from "../providers/claude-api.ts";
import type { PlayedServer, PlayedTurn } from "../providers/played.ts";

export const testKey = "sk-ant-test-0123456789abcdef";

export const turn = (played: PlayedTurn): ClaudeReply => ({ turn: played });

/** A home with the facet `garden` in it. */
export class ClaudeHome {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), "cortex-claude-")));
  readonly folder = join(this.home, "facets", "garden");

  constructor() {
    mkdirSync(this.folder, { recursive: true });
  }

  environment(server: Pick<PlayedServer, "url">): NodeJS.ProcessEnv {
    return {
      PATH: process.env["PATH"],
      HOME: this.home,
      ANTHROPIC_API_KEY: testKey,
      ANTHROPIC_BASE_URL: server.url,
    };
  }

  /** Runs to the terminal event. `onEvent` may say something to the run, or cancel it. */
  async run(
    config: Record<string, unknown>,
    replies: ClaudeReply[],
    onEvent: (event: EventBody, run: ReturnType<typeof testRun>) => void = () => {},
    environment: NodeJS.ProcessEnv = {},
  ) {
    await using server = await playClaudeApi(replies);
    const run = testRun({ facet: "garden", model: "claude-sonnet-4-5", ...config }, (event) => onEvent(event, run));
    const whole = { ...this.environment(server), ...environment };
    await runAgent({ ...run, clock: systemClock, environment: whole }, () => (own) => claude(own, this.folder));
    return { ...run, requests: server.requests, refusals: server.refusals };
  }

  /** Fails where a program of Claude Code's is left: one that is told to leave has a while for it. */
  [Symbol.asyncDispose] = async (): Promise<void> => {
    const left = () => (process.platform === "linux" ? processesOf(this.home) : []);
    for (const deadline = performance.now() + patienceMs; left().length > 0; await delay(50))
      if (performance.now() > deadline) throw new Error(`left behind: ${JSON.stringify(left())}`);
    await rm(this.home, { recursive: true, force: true });
  };
}
