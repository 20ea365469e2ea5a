/** A facet: what it is, its newest news and open points, and all its files. */
import { answered, client } from "../../api/client.ts";
import { Loading } from "../../parts/loading/loading.tsx";
import { SideTitle } from "../../parts/layout/side-view.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { visible } from "../../words/text/visible-text.ts";
import { EntrySection } from "./entry-page.tsx";
import { dayAddress, dayTitle, fileAddress } from "./journal-place.ts";

const mostFiles = 100;

const kinds = [
  ["news", "News"],
  ["todos", "To do"],
  ["events", "Events"],
] as const;

export function FacetPage({ name }: { name: string }) {
  const { data, problem, read } = useAnswer(
    name,
    (signal) => answered(client.GET("/api/v1/journal/facets/{id}", { params: { path: { id: name } }, signal })),
    ["facets"],
  );
  const contents = data.value;
  const newest = contents ? [contents.news[0], contents.todos[0]].filter((path) => path !== undefined) : [];
  return (
    <>
      <header class="shown-head">
        <SideTitle isIndex={false}>
          <bdi>{visible(contents?.facet.title ?? name)}</bdi>
        </SideTitle>
        {contents?.facet.muted && <span class="ink-3">muted</span>}
        {contents?.facet.description != null && <p class="about">{visible(contents.facet.description)}</p>}
      </header>
      <div class="shown-body">
        <Loading isThere={data.value !== null} error={problem.value} onRetry={read} lines={2} />
        {newest.map((path) => (
          <EntrySection key={path} path={path}>
            <span class="ink-3 small">{path.includes("/todos/") ? "to do" : "news"}</span>
          </EntrySection>
        ))}
        {contents && (
          <div class="facet-files">
            {kinds.map(([kind, title]) => (
              <section key={kind} aria-label={title}>
                <h2>{title}</h2>
                {contents[kind].length === 0 && <p class="ink-3">None yet.</p>}
                <ul>
                  {contents[kind].slice(0, mostFiles).map((path) => (
                    <li key={path}>
                      <a href={fileAddress(path)}>{nameOf(path)}</a>
                    </li>
                  ))}
                </ul>
                {contents[kind].length > mostFiles && (
                  <p class="ink-3 small">and {contents[kind].length - mostFiles} earlier ones</p>
                )}
              </section>
            ))}
          </div>
        )}
        {contents?.news[0] !== undefined && dayIn(contents.news[0]) !== null && (
          <p class="small ink-3">
            Its newest news are of{" "}
            <a href={dayAddress(dayIn(contents.news[0]) ?? "")}>{dayTitle(dayIn(contents.news[0]) ?? "")}</a>.
          </p>
        )}
      </div>
    </>
  );
}

const dayIn = (path: string): string | null => /\/(\d{8})\.\w+$/.exec(path)?.[1] ?? null;

function nameOf(path: string): string {
  const day = dayIn(path);
  return day === null ? visible(path.split("/").at(-1) ?? path) : dayTitle(day);
}
