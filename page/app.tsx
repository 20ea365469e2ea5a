/** The frame, and in it the view that the address names. Each view but Now is loaded when it is first opened. */
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import { useEffect, useRef, useState } from "preact/hooks";
import { isSignedOut } from "./api/session.ts";
import { startListening } from "./live/machine-events.ts";
import { Finder } from "./frame/finder/finder.tsx";
import { FrameKeys } from "./frame/frame-keys.tsx";
import { KeyList } from "./frame/key-list.tsx";
import { lazyView } from "./frame/lazy-view.ts";
import { Navigation } from "./frame/navigation.tsx";
import { SignedOut } from "./frame/signed-out.tsx";
import { StatusLine } from "./frame/status-line.tsx";
import { ViewBoundary } from "./frame/view-boundary.tsx";
import { NotFound } from "./frame/not-found.tsx";
import { viewAt } from "./words/navigation/views.ts";
import { NewRequest } from "./parts/requests/new-request.tsx";
import NowView from "./views/now/now-view.tsx";
import "./frame/frame.css";

const ChatView = lazyView(() => import("./views/chat/chat-view.tsx"));
const ThreadsView = lazyView(() => import("./views/threads/threads-view.tsx"));
const RunsView = lazyView(() => import("./views/runs/runs-view.tsx"));
const ScheduleView = lazyView(() => import("./views/schedule/schedule-view.tsx"));
const AgentsView = lazyView(() => import("./views/agents/agents-view.tsx"));
const JournalView = lazyView(() => import("./views/journal/journal-view.tsx"));
const CostView = lazyView(() => import("./views/cost/cost-view.tsx"));
const ChangesView = lazyView(() => import("./views/changes/changes-view.tsx"));
const LogsView = lazyView(() => import("./views/logs/logs-view.tsx"));
const SettingsView = lazyView(() => import("./views/settings/settings-view.tsx"));
const DevicesView = lazyView(() => import("./views/devices/devices-view.tsx"));

export function App() {
  useEffect(startListening, []);
  return (
    <LocationProvider>
      <div class="app">
        <Navigation />
        <Main />
        <StatusLine />
        <FrameKeys />
        <Finder />
        <KeyList />
        <NewRequest />
      </div>
    </LocationProvider>
  );
}

/** The view: whoever goes to another one is taken to its beginning, also by the keyboard. */
function Main() {
  const main = useRef<HTMLElement>(null);
  const [isLoading, setLoading] = useState(false);
  const { path } = useLocation();
  const view = viewAt(path);
  const shown = useRef(view);
  useEffect(() => {
    if (shown.current === view) return;
    shown.current = view;
    main.current?.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [view]);
  return (
    <main class="main" id="main" tabIndex={-1} ref={main} aria-busy={isLoading}>
      {isSignedOut.value ? (
        <SignedOut />
      ) : (
        <ViewBoundary path={path}>
          <Router onLoadStart={() => setLoading(true)} onLoadEnd={() => setLoading(false)}>
            <Route path="/" component={NowView} />
            <Route path="/chat/:rest*" component={ChatView} />
            <Route path="/threads/:rest*" component={ThreadsView} />
            <Route path="/runs/:rest*" component={RunsView} />
            <Route path="/schedule/:rest*" component={ScheduleView} />
            <Route path="/agents/:rest*" component={AgentsView} />
            <Route path="/journal/:rest*" component={JournalView} />
            <Route path="/cost/:rest*" component={CostView} />
            <Route path="/changes/:rest*" component={ChangesView} />
            <Route path="/logs/:rest*" component={LogsView} />
            <Route path="/settings/:rest*" component={SettingsView} />
            <Route path="/devices" component={DevicesView} />
            <Route default component={NotFound} />
          </Router>
        </ViewBoundary>
      )}
    </main>
  );
}
