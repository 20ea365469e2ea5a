/** A coding agent under `cortex up`, its model played, and a folder in which it works. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { runCortexJson } from "../../scripts/run-command.ts";
import { type CoderModel, playCoderModel } from "../../support/coders/coder-model.ts";
import { type CoderStep, scriptOf } from "../../support/coders/coder-script.ts";
import { UpJournal } from "../../supervisor/up-process.ts";

export const realKey = "sk-real-0123456789abcdef";

const coder = fileURLToPath(new URL("../../fixtures/acp/coder.ts", import.meta.url));

/** The settings of the small agent of `test/fixtures/acp`, with the ways of others that are named. */
export const smallAgent = (...ways: string[]) => ({ acp: [process.execPath, coder, ...ways] });

export type CoderOptions = {
  backend: string;
  /** Its declaration in the settings; absent: nothing, it is known by its name. */
  declared?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  /** Added to PATH. */
  programs?: string;
  /** Fields of each request. */
  fields?: Record<string, unknown>;
};

let lastId = Date.now() - 600_000;

export class CoderSystem implements AsyncDisposable {
  readonly journal: UpJournal;
  readonly model: CoderModel;
  /** A real path. */
  readonly folder: string;
  readonly #options: CoderOptions;

  private constructor(journal: UpJournal, model: CoderModel, folder: string, options: CoderOptions) {
    this.journal = journal;
    this.model = model;
    this.folder = folder;
    this.#options = options;
  }

  static async start(options: CoderOptions): Promise<CoderSystem> {
    const model = await playCoderModel();
    const home = realpathSync(mkdtempSync(join(tmpdir(), "cortex-coder-")));
    const folder = join(home, "work");
    mkdirSync(folder);
    const { backend, declared, settings = {}, programs } = options;
    const journal = new UpJournal(
      { default_backend: backend, folders: [folder], backends: declared ? { [backend]: declared } : {}, ...settings },
      {
        ANTHROPIC_API_KEY: realKey,
        ANTHROPIC_BASE_URL: model.url,
        OPENAI_API_KEY: realKey,
        OPENAI_BASE_URL: `${model.url}/v1`,
        GEMINI_API_KEY: realKey,
        GOOGLE_GEMINI_BASE_URL: model.url,
        ...(programs && { PATH: `${programs}:${process.env["PATH"] ?? ""}` }),
      },
    );
    await journal.start().isUp();
    return new CoderSystem(journal, model, folder, options);
  }

  /** Asks the agent to do steps; resolves with the run's id. */
  async ask(steps: readonly CoderStep[], fields: Record<string, unknown> = {}): Promise<string> {
    const id = String(++lastId);
    await using bus = await this.journal.client();
    const { backend, fields: usual } = this.#options;
    const request = { ts: Number(id), prompt: scriptOf(...steps), backend, folder: this.folder, ...usual, ...fields };
    bus.connection.publish("cortex.request", JSON.stringify(request));
    await bus.connection.flush();
    return id;
  }

  async cancel(id: string): Promise<void> {
    await using bus = await this.journal.client();
    bus.connection.publish(`cortex.cancel.${id}`, "{}");
    await bus.connection.flush();
  }

  async ended(id: string): Promise<AgentEvent[]> {
    await this.journal.until(() => this.journal.hasEnded(id), `run ${id} has ended`);
    return this.journal.file(id);
  }

  async run(steps: readonly CoderStep[], fields: Record<string, unknown> = {}): Promise<AgentEvent[]> {
    return this.ended(await this.ask(steps, fields));
  }

  /** Waits until somebody is asked, and decides. Resolves with what was asked. */
  async decide(id: string, decision: "allow" | "deny"): Promise<AgentEvent> {
    const asked = await this.journal.until(
      () => this.journal.file(id).find(({ event }) => event === "permission"),
      "somebody is asked",
    );
    const { code, document } = await runCortexJson(this.journal.path, ["permissions", decision, String(asked["id"])]);
    if (code !== 0) throw new Error(JSON.stringify(document));
    return asked;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.journal[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    rmSync(dirname(this.folder), { recursive: true, force: true });
  }
}

/** The result of a run that finished; of another one, why it didn't. */
export const resultOf = (events: readonly AgentEvent[]): unknown =>
  events.find(({ event }) => event === "finish")?.["result"] ?? events.find(({ event }) => event === "error");

/** Each call of a tool that has begun, with how it ended. */
export function callsIn(events: readonly AgentEvent[]): { tool: unknown; isError: unknown; result: unknown }[] {
  return events
    .filter(({ event }) => event === "tool_start")
    .map((start) => {
      const end = events.find(
        (one) => one.event === "tool_end" && one["call_id"] === start["call_id"] && one.seq > start.seq,
      );
      return { tool: start["tool"], isError: end?.["is_error"], result: end?.["result"] };
    });
}

/** A command that says whether it reaches an address. */
export const tryFetch = (url: string): string =>
  `${process.execPath} -e 'fetch("${url}/v1/models").then(() => console.log("a way"), () => console.log("no way"))'`;
