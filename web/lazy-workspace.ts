/** Opens the workspaces when they are first needed: a program that nobody asks for them loads nothing of them. */
import { setTimeout as delay } from "node:timers/promises";
import type { OpenedWorkspace } from "./open-workspace.ts";
import { ToldState } from "./told-state.ts";
import { isUsed, type WorkspaceDeps } from "./workspace-deps.ts";

/** A database that is away is asked for again so often, in ms. */
const againMs = 5000;

export class LazyWorkspace implements AsyncDisposable {
  readonly #deps: WorkspaceDeps;
  #opening: Promise<OpenedWorkspace> | null = null;
  readonly #closing = new AbortController();
  readonly #told: ToldState;

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
    this.#told = new ToldState(deps);
  }

  /** The workspaces, opened by the first who asks. @throws Error when they can't be opened now: whoever asks next tries again */
  get(): Promise<OpenedWorkspace> {
    this.#closing.signal.throwIfAborted();
    this.#opening ??= import("./open-workspace.ts").then(({ openWorkspace }) => openWorkspace(this.#deps, this.#told));
    this.#opening.catch((error: unknown) => {
      this.#told.tellProblem(error);
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Opens them where there are any, so that their tasks go on. Tries until it can. */
  async openIfUsed(): Promise<void> {
    const { log } = this.#deps;
    if (!isUsed(this.#deps)) return this.#told.forgetProblem();
    while (!this.#closing.signal.aborted)
      try {
        return void (await this.get());
      } catch (error) {
        log.error({ err: error }, "the workspaces can't be opened: trying again");
        await delay(againMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const opened = await this.#opening?.catch(() => null);
    await opened?.[Symbol.asyncDispose]();
  }
}
