/** Keeps a search current by watching the journal's days and facets. */
import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { watch } from "chokidar";
import type { Search } from "./search.ts";
import { isSearchedFolder, placeOf } from "../notes/search-scope.ts";

/** Changes come in bursts: the index is written this long after one began, or at the next search. */
const settleMs = 250;

/**
 * Watches until disposed of. Resolves at once: until the watch stands, each search looks at all files.
 * @param onError a watch that fails, for instance because the system allows no more of them: searches look at all files again
 */
export function watchSearch(journal: string, search: Search, onError: (error: unknown) => void): AsyncDisposable {
  const root = realpathSync(journal);
  const inJournal = (path: string) => relative(root, path).split(sep).join("/");
  let timer: NodeJS.Timeout | undefined;
  const refresh = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      search.refresh().catch(onError);
    }, settleMs);
  };
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignorePermissionErrors: true,
    ignored: (path, stats) => {
      const place = inJournal(path);
      return stats?.isFile() ? !placeOf(place)?.isIndexed : !isSearchedFolder(place) && !placeOf(place)?.isIndexed;
    },
  });
  watcher.on("all", (_event, path) => {
    search.changed(inJournal(path));
    refresh();
  });
  watcher.on("ready", () => {
    search.setWatched(true);
    refresh();
  });
  // A watch that misses something is none. It is given up at the first failure: there may be one for each file.
  watcher.once("error", (error) => {
    search.setWatched(false);
    onError(error);
    watcher.on("error", () => {});
    watcher.close().catch(onError);
  });
  return {
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      await watcher.close();
    },
  };
}
