/** The stores of what the address names: of a workspace, of a thread in it, and of the places where things are said. */
import { useEffect, useMemo } from "preact/hooks";
import { PlaceStore } from "../../../stores/workspace/place-store.ts";
import { TeamStore } from "../../../stores/workspace/team-store.ts";
import { ThreadRowsStore } from "../../../stores/workspace/thread-rows-store.ts";
import { ThreadStore } from "../../../stores/workspace/thread-store.ts";
import { UnreadStore } from "../../../stores/workspace/unread-store.ts";
import type { Look, Team } from "./thread-look.ts";

type Opened = { open: () => void; close: () => void };

/** Opens stores as long as they are shown. */
function useOpened(stores: readonly Opened[] | null): void {
  useEffect(() => {
    for (const store of stores ?? []) store.open();
    return () => stores?.forEach((store) => store.close());
  }, [stores]);
}

/** Null: no workspace is known yet. */
export function useTeam(workspace: string | null): Team | null {
  const team = useMemo(() => {
    if (workspace === null) return null;
    const store = new TeamStore(workspace);
    return { team: store, rows: new ThreadRowsStore(store), unread: new UnreadStore(store) };
  }, [workspace]);
  useOpened(useMemo(() => team && [team.team, team.rows, team.unread], [team]));
  return team;
}

export function useThread(team: Team | null, id: string | null): { look: Look; place: PlaceStore } | null {
  const opened = useMemo(() => {
    if (team === null || id === null) return null;
    const look: Look = { ...team, thread: new ThreadStore(team.team, id) };
    return { look, place: new PlaceStore(team.team, { threadId: id, forkId: null }) };
  }, [team, id]);
  useOpened(useMemo(() => opened && [opened.look.thread, opened.place], [opened]));
  return opened;
}

export function useFork(look: Look | null, id: string | null): PlaceStore | null {
  const place = useMemo(
    () => (look === null || id === null ? null : new PlaceStore(look.team, { threadId: look.thread.id, forkId: id })),
    [look, id],
  );
  useOpened(useMemo(() => place && [place], [place]));
  return place;
}
