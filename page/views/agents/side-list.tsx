/** The list at the left: what there is of a section, in groups. Beside an open item it gives way on small screens. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { isPhone } from "../../stores/browser/screen.ts";
import { shownLine } from "../../words/names/names.ts";
import { addressOf, type Section, sections } from "./agents-place.ts";

type Entry = { key: string; text: string; to: string; note?: string | undefined; isUnsaved?: boolean };
export type Group = { title: string; entries: readonly Entry[] };

type SideListProps = {
  section: Section;
  groups: readonly Group[];
  /** The address of what is shown beside it. */
  shown: string | null;
  /** Nothing was chosen: on a phone the list is all that there is. */
  isIndex: boolean;
  actions?: ComponentChildren;
  /** Stands above the list. */
  above?: ComponentChildren;
  /** The place of the groups until they are read. */
  loading: ComponentChildren;
  children: ComponentChildren;
};

export function SideList({ section, groups, shown, isIndex, actions, above, loading, children }: SideListProps) {
  const title = sections.find(({ id }) => id === section)?.title ?? "";
  useEffect(() => {
    document.title = `${isIndex ? "Agents" : title} · Cortex`;
  }, [title, shown, isIndex]);
  const hasOwnTitle = isIndex && isPhone.value;
  return (
    <div class={isIndex ? "agents-view is-index" : "agents-view"}>
      <aside class="side-list" aria-label={title}>
        <header class="head">
          {(hasOwnTitle || shown === null) && <h1 class="off">Agents and personas</h1>}
          <h2 class="title">Agents</h2>
          {actions !== undefined && <div class="do">{actions}</div>}
        </header>
        <div class="seg" role="group" aria-label="What of the agents">
          {sections.map(({ id, title: name }) => (
            <a key={id} href={addressOf(id, null)} aria-current={id === section ? "page" : undefined}>
              {name}
            </a>
          ))}
        </div>
        {above}
        {loading}
        {groups.map(({ title: name, entries }) =>
          entries.length === 0 ? null : (
            <section key={name} aria-label={name}>
              <h3>{name}</h3>
              <ul>
                {entries.map(({ key, text, to, note, isUnsaved }) => (
                  <li key={key}>
                    <a class="plain" href={to} aria-current={to === shown ? "page" : undefined} data-row>
                      <bdi class="cut">{shownLine(text)}</bdi>
                      {note !== undefined && <span class="ink-3 small">{note}</span>}
                      {isUnsaved && <span class="dot" role="img" aria-label="not saved" />}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ),
        )}
      </aside>
      <div class="side-shown">
        <a class="side-back" href={addressOf(section, null)}>
          {title}
        </a>
        {!hasOwnTitle && children}
      </div>
    </div>
  );
}
