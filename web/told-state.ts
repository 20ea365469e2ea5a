/** Tells the commands how the workspaces' database is, as it changes: `cortex status` and `cortex doctor` show it. */
import { messageOf } from "../files/errors/error-message.ts";
import { SerialQueue } from "../files/locks/serial-queue.ts";
import { readWorkspaceState, writeWorkspaceState } from "../journal/programs/workspace-state.ts";
import { shownUrl } from "../protocol/guards/shown-url.ts";
import { databaseOf, type WorkspaceDeps } from "./workspace-deps.ts";

export class ToldState {
  readonly #deps: WorkspaceDeps;
  readonly #writes = new SerialQueue();

  constructor(deps: WorkspaceDeps) {
    this.#deps = deps;
  }

  /** Nobody uses workspaces here: what an earlier program found is no longer so. */
  forgetProblem(): void {
    if (readWorkspaceState(this.#deps.journal)) this.tellProblem(null);
  }

  /** @param error why the database can't be used; null: it can */
  tellProblem(error: unknown): void {
    const { journal, log } = this.#deps;
    const target = databaseOf(this.#deps);
    const database = "url" in target ? shownUrl(target.url) : target.file;
    const problem = error === null ? null : reasonOf(error);
    void this.#writes
      .run(async () => {
        const known = readWorkspaceState(journal);
        if (known?.problem === problem && known.database === database) return;
        await writeWorkspaceState(journal, { database, problem });
      })
      .catch((failure: unknown) => log.warn({ err: failure }, "how the workspaces are isn't noted"));
  }
}

/** An error with the errors that it is about: a connection that fails has one for each address. */
function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  const cause = error instanceof Error && error.cause !== undefined ? [error.cause] : [];
  return [messageOf(error), ...[...inner, ...cause].map(messageOf)].filter((text) => text !== "").join(": ");
}
