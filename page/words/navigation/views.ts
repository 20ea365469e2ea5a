/** The views: what they are called, where they are, and the key that leads to each behind G. */

export const viewGroups = [
  [
    { id: "now", title: "Now", path: "/", key: "n" },
    { id: "chat", title: "Chat", path: "/chat", key: "c" },
    { id: "threads", title: "Threads", path: "/threads", key: "t" },
  ],
  [
    { id: "runs", title: "Runs", path: "/runs", key: "r" },
    { id: "schedule", title: "Schedule", path: "/schedule", key: "s" },
    { id: "agents", title: "Agents", path: "/agents", key: "p" },
    { id: "journal", title: "Journal", path: "/journal", key: "j" },
    { id: "cost", title: "Cost", path: "/cost", key: "m" },
    { id: "changes", title: "Changes", path: "/changes", key: "d" },
  ],
  [
    { id: "logs", title: "Logs", path: "/logs", key: "l" },
    { id: "settings", title: "Settings", path: "/settings", key: "e" },
    { id: "devices", title: "Devices", path: "/devices", key: "v" },
  ],
] as const;

export const views = viewGroups.flat();

export type ViewId = (typeof views)[number]["id"];

/** The view that an address belongs to: a run's page is of Runs. */
export function viewAt(path: string): ViewId | null {
  const [, first = ""] = path.split("/");
  return views.find((view) => view.path === `/${first}`)?.id ?? null;
}
