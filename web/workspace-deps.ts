/** The dependencies of a journal's workspaces, and where their database is. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Bus } from "../bus/connection/connect.ts";
import type { PublicSide } from "./page/public-side.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { DatabaseTarget } from "../workspace/database/connection/open-database.ts";

export type WorkspaceDeps = {
  journal: string;
  /** The address of a PostgreSQL database, `DATABASE_URL`. Absent: a file of the journal. */
  databaseUrl: string | undefined;
  /** In which the days of budgets are counted. */
  timeZone: string;
  /** Where a proxy hands requests on, and what lets one in there. */
  publicSide?: PublicSide | undefined;
  bus: Bus;
  log: Logger;
};

export function databaseOf({ journal, databaseUrl }: WorkspaceDeps): DatabaseTarget {
  return databaseUrl === undefined ? { file: join(journal, "workspace.db") } : { url: databaseUrl };
}

/** Whether there is a database already. One of PostgreSQL is taken for used. */
export function isUsed(deps: WorkspaceDeps): boolean {
  const target = databaseOf(deps);
  return "url" in target || existsSync(target.file);
}
