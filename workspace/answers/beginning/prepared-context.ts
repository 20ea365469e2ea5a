/**
 * The context of a task's run. A summary of older messages takes a run of its own, which no change waits for: a change
 * that needs one throws, so that nothing of it is stored, has it made, and begins anew.
 */
import { mostMessageBytes } from "../../../bus/events/message-size.ts";
import { ImageSizes } from "../../../files/image-sizes.ts";
import { configOfVersion } from "../../agents/versions.ts";
import type { ContextSize } from "../../context/assemble-context.ts";
import { roomOf, summaryModelOf } from "../../context/configured-models.ts";
import { contextSources } from "../../context/context-sources.ts";
import { type FittingContext, fittingContext } from "../../context/fitting-context.ts";
import { withImageSizes } from "../../context/image-sizes.ts";
import { coverageOf, summaryOf } from "../../context/summaries.ts";
import type { Database } from "../../database/connection/open-database.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import type { AgentConfig } from "../../records/agent.ts";
import type { Message } from "../../records/thread.ts";
import type { AnswerDeps } from "../deps/answer-deps.ts";
import type { Used } from "../ending/end-answer.ts";
import { nextRunId } from "../deps/run-ids.ts";

type Tables = Pick<Database, "selectFrom">;

class SummaryNeeded extends Error {
  readonly messages: readonly Message[];
  readonly config: AgentConfig;

  constructor(messages: readonly Message[], config: AgentConfig) {
    super("a summary of older messages is needed");
    this.messages = messages;
    this.config = config;
  }
}

export class PreparedContext {
  readonly #deps: AnswerDeps;
  readonly #workspaceId: string;
  readonly #isUnwanted: () => boolean;
  /** The summaries that were tried, by what they cover. */
  readonly #summaries = new Map<string, string | null>();
  readonly #used: Used[] = [];
  readonly #images: ImageSizes;

  constructor(deps: AnswerDeps, workspaceId: string, isUnwanted: () => boolean) {
    this.#deps = deps;
    this.#images = new ImageSizes(deps.attachmentsFolder);
    this.#workspaceId = workspaceId;
    this.#isUnwanted = isUnwanted;
  }

  /** Does something in which `fitting` is asked, as often as it needs another summary for that. */
  async with<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof SummaryNeeded)) throw error;
        await this.#summarize(error);
      }
    }
  }

  /** As much of a task's context as fits, of a size or less. To be called within `with`. */
  async fitting(
    tables: Tables,
    task: TaskTable,
    config: AgentConfig,
    from: ContextSize,
  ): Promise<Exclude<FittingContext, { kind: "summarize" }>> {
    const { models, bus } = this.#deps;
    const said = await contextSources(tables, task, config.system_prompt);
    const sources = await withImageSizes(said, this.#images);
    const room = await roomOf(config, models(), mostMessageBytes(bus));
    const known = (messages: readonly Message[]) => this.#summaries.get(coverageOf(messages));
    const fitting = fittingContext(sources, room, from, known);
    if (fitting.kind === "summarize") throw new SummaryNeeded(fitting.messages, config);
    return fitting;
  }

  /** The usage of the summaries that nobody has counted yet. */
  get used(): readonly Used[] {
    return this.#used;
  }

  async #summarize({ messages, config }: SummaryNeeded): Promise<void> {
    const { models, settings, signal } = this.#deps;
    signal.throwIfAborted();
    const model = await summaryModelOf(config, await this.#configsOfAgents(), models());
    const deps = { ...this.#deps, nextRunId, isUnwanted: this.#isUnwanted };
    const made = await summaryOf(deps, this.#workspaceId, messages, { model, retrySeconds: settings().retry_seconds });
    signal.throwIfAborted();
    this.#summaries.set(coverageOf(messages), made.text);
    if (made.spent) this.#used.push({ spent: made.spent, model: made.model });
  }

  async #configsOfAgents(): Promise<AgentConfig[]> {
    const { database } = this.#deps.store;
    const agents = await database
      .selectFrom("agents")
      .select(["id", "version"])
      .where("workspace_id", "=", this.#workspaceId)
      .where("is_active", "=", 1)
      .execute();
    return Promise.all(agents.map(({ id, version }) => configOfVersion(database, id, version)));
  }
}
