/** The workspaces as the web program has them: their database, who answers in them, what is told of them as it happens, and their API. */
import { answerWorkspaceCalls } from "../bus/agents/agent-calls.ts";
import { webToken } from "../journal/access/token-file.ts";
import { commandsToken } from "../journal/access/tokens.ts";
import { attachmentsFolder } from "../journal/attachments/take-attachments.ts";
import { usableSettings } from "../journal/config/settings.ts";
import { followedFiles } from "../journal/runs/followed-files.ts";
import { answerSettings } from "../protocol/settings/workspace-settings.ts";
import { AnswerEngine } from "../workspace/answers/answer-engine.ts";
import { DecisionDelivery } from "../workspace/approvals/decision-delivery.ts";
import { ThreadWatch } from "../workspace/background/thread-watch.ts";
import { answerSearch } from "../workspace/search/search-threads.ts";
import { openWorkspaceStore, type WorkspaceStore } from "../workspace/database/changes/store.ts";
import { LiveFeed } from "../workspace/live/live-feed.ts";
import { type Api, openApi } from "./api/api-server.ts";
import { filesOf } from "./api/journal-files.ts";
import { RoomBridge } from "./bindings/room-bridge.ts";
import { configuredModels } from "./configured-models.ts";
import { dropOldRowsByTime } from "./drop-old-rows.ts";
import { openMachine } from "./machine/machine.ts";
import type { ToldState } from "./told-state.ts";
import { watchDatabase } from "./watch-database.ts";
import { personaFiles } from "./persona-files.ts";
import { databaseOf, type WorkspaceDeps } from "./workspace-deps.ts";

export type OpenedWorkspace = { store: WorkspaceStore; feed: LiveFeed; api: Api } & AsyncDisposable;

/** @throws Error when the database can't be had, or its tables can't be brought up to date */
export async function openWorkspace(deps: WorkspaceDeps, told: ToldState): Promise<OpenedWorkspace> {
  const { journal, timeZone, bus, log } = deps;
  const ownerTokens = [await webToken(journal), await commandsToken(journal)];
  const store = await openWorkspaceStore(databaseOf(deps), personaFiles(journal));
  const feed = new LiveFeed();
  const onError = (error: unknown) => log.error({ err: error }, "a request of the API failed");
  const machine = openMachine({ journal, bus, settings: () => usableSettings(journal).settings, timeZone, store, log });
  const api = await openApi({
    store,
    live: feed,
    machine,
    ownerTokens,
    files: filesOf(journal),
    publicAddress: deps.publicSide,
    onError,
  });
  const settings = () => answerSettings(usableSettings(journal).settings.workspace);
  const models = () => configuredModels(journal, usableSettings(journal).settings);
  const files = followedFiles(journal);
  const engine = new AnswerEngine({
    store,
    feed,
    bus,
    files,
    attachmentsFolder: attachmentsFolder(journal),
    settings,
    models,
    timeZone,
    log,
  });
  const rooms = new RoomBridge({ ...deps, store });
  const watch = new ThreadWatch({ store, log });
  const searches = answerWorkspaceCalls(bus, {
    tool: (call) => answerSearch(store, call),
    onProblem: (error) => log.error({ err: error }, "a tool's call failed"),
  });
  const decisions = new DecisionDelivery({ store, bus, log });
  const dropping = dropOldRowsByTime(store, log);
  const watching = watchDatabase(store, told);
  return {
    store,
    feed,
    api,
    [Symbol.asyncDispose]: async () => {
      searches[Symbol.dispose]();
      dropping[Symbol.dispose]();
      watching[Symbol.dispose]();
      await api[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
      await rooms[Symbol.asyncDispose]();
      await decisions[Symbol.asyncDispose]();
      await watch[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
