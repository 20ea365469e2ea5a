/** The dependencies of answers. */
import type { Bus } from "../../../bus/connection/connect.ts";
import type { FollowedFiles } from "../../../bus/runs/follow-run.ts";
import type { Logger } from "../../../proc/logging/log.ts";
import type { AnswerSettings } from "../../../protocol/settings/workspace-settings.ts";
import type { ConfiguredModels } from "../../context/configured-models.ts";
import type { WorkspaceStore } from "../../database/changes/store.ts";
import type { LiveFeed } from "../../live/live-feed.ts";

export type AnswerDeps = {
  store: WorkspaceStore;
  feed: LiveFeed;
  bus: Bus;
  /** The files of runs, as the journal of the bus's cortex has them. */
  files: FollowedFiles;
  /** Where the files of messages are stored. */
  attachmentsFolder: string;
  /** As they are now. */
  settings: () => AnswerSettings;
  /** The models that are configured, as they are now. */
  models: () => ConfiguredModels;
  /** In which the days of budgets are counted. */
  timeZone: string;
  log: Logger;
  /** Nothing is written once it is aborted: whoever comes next goes on. */
  signal: AbortSignal;
};
