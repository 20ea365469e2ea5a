/** The way to every view: beside it at a desk; on a phone four tabs below it, the others behind "More". */
import { useLocation } from "preact-iso";
import { useEffect, useState } from "preact/hooks";
import { Icon, type IconName } from "../parts/buttons/icon.tsx";
import { health } from "../stores/now/health-store.ts";
import { followDecisions, needsYouCount } from "../stores/now/decisions-store.ts";
import { viewAt, viewGroups, type ViewId } from "../words/navigation/views.ts";
import { isFinding } from "./finder/finder.tsx";

/** On a phone these are tabs of their own, each with a sign. */
const tabs: Partial<Record<ViewId, IconName>> = { now: "inbox", chat: "chat", runs: "list" };

export function Navigation() {
  const { path } = useLocation();
  const current = viewAt(path);
  const hasTab = current !== null && current in tabs;
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  useEffect(followDecisions, []);
  return (
    <nav class={`nav ${isOpen ? "is-open" : ""} ${hasTab ? "" : "has-other"}`} aria-label="Views">
      <p class="brand">
        Cortex <Journal />
      </p>
      <button type="button" class="find" aria-keyshortcuts="Control+K" onClick={() => (isFinding.value = true)}>
        <Icon name="search" />
        <span>Find</span>
        <span class="gap" />
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <div class="nav-views" id="views">
        {viewGroups.map((group) => (
          <ul key={group[0].id}>
            {group.map(({ id, title, path: to }) => (
              <li key={id} class={id in tabs ? "tab" : undefined}>
                <a href={to} aria-current={id === current ? "page" : undefined}>
                  {id in tabs && <Icon name={tabs[id]!} />}
                  <span>{title}</span>
                  {id === "now" && <NeedsYou />}
                </a>
              </li>
            ))}
          </ul>
        ))}
      </div>
      <button
        type="button"
        class="nav-more"
        aria-expanded={isOpen}
        aria-controls="views"
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="more" />
        {isOpen ? "Less" : "More"}
      </button>
    </nav>
  );
}

/** The journal's folder by its name, so that two of them aren't taken for each other. */
function Journal() {
  const name = health.value?.journal.split("/").at(-1);
  return name === undefined ? null : (
    <small class="cut" title={health.value?.journal}>
      {name}
    </small>
  );
}

/** How many decisions wait; nothing where none does. */
function NeedsYou() {
  const { value } = needsYouCount;
  return value === 0 ? null : (
    <span class="count you">
      <span class="off">need you: </span>
      {value}
    </span>
  );
}
