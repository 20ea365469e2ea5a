/** Looks now and then whether the workspaces' database answers: one that goes away while nobody asks is told of as well. */
import { askDatabase } from "../workspace/database/connection/open-database.ts";
import type { ToldState } from "./told-state.ts";
import type { WorkspaceStore } from "../workspace/database/changes/store.ts";

const everyMs = 10_000;

export function watchDatabase({ database }: WorkspaceStore, told: ToldState): Disposable {
  const look = () =>
    void askDatabase(database).then(
      () => told.tellProblem(null),
      (error: unknown) => told.tellProblem(error),
    );
  look();
  const looking = setInterval(look, everyMs).unref();
  return { [Symbol.dispose]: () => clearInterval(looking) };
}
