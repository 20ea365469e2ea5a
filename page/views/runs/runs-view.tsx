/** Runs: all of them, searched and filtered; the filters are part of the address. A run's page stands below, and two beside each other. */
import { lazy } from "preact-iso";
import { RunList } from "./run-list.tsx";

const RunView = lazy(() => import("../run/run-view.tsx"));
const SideBySide = lazy(() => import("./side-by-side.tsx"));

export default function RunsView({ params, query }: { params?: { rest?: string }; query?: Record<string, string> }) {
  const rest = params?.rest ?? "";
  if (rest === "") return <RunList query={new URLSearchParams(query).toString()} />;
  const [, one, other] = /^compare\/([^/]+)\/([^/]+)$/.exec(rest) ?? [];
  if (one !== undefined && other !== undefined)
    return <SideBySide key={rest} one={decodeURIComponent(one)} other={decodeURIComponent(other)} />;
  return <RunView key={rest} id={rest} />;
}
