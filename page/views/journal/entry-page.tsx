/** A file of the journal: Markdown as it reads, other text as it stands, and the run that wrote it. */
import type { ComponentChildren } from "preact";
import { answered, client } from "../../api/client.ts";
import { Facet } from "../../parts/badges/facet.tsx";
import { Markdown } from "../../parts/content/markdown.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { LongText } from "../../parts/content/result.tsx";
import { SideTitle } from "../../parts/layout/side-view.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { now } from "../../stores/browser/clock.ts";
import { sizeOf } from "../../words/amounts/money.ts";
import { shortId } from "../../words/names/names.ts";
import { whenOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { dayAddress, dayTitle, facetAddress, fileAddress } from "./journal-place.ts";

const useEntry = (path: string) =>
  useAnswer(path, (signal) => answered(client.GET("/api/v1/journal/entry", { params: { query: { path } }, signal })), [
    path.startsWith("facets/") ? "facets" : "days",
  ]);

type Entry = NonNullable<ReturnType<typeof useEntry>["data"]["value"]>;

export function EntryPage({ path }: { path: string }) {
  const { data, problem, read } = useEntry(path);
  const entry = data.value;
  return (
    <>
      <header class="shown-head">
        <SideTitle isIndex={false}>
          <bdi>{visible(path.split("/").at(-1) ?? path)}</bdi>
        </SideTitle>
        {entry && <WrittenBy entry={entry} />}
        <p class="about small">
          {entry?.day != null && <a href={dayAddress(entry.day)}>{dayTitle(entry.day)}</a>}
          {entry?.facet != null && (
            <>
              {entry.day != null && " · "}
              <a class="plain" href={facetAddress(entry.facet)}>
                <Facet name={entry.facet} />
              </a>
            </>
          )}{" "}
          <code class="ink-3">{visible(path)}</code>
        </p>
      </header>
      <div class="shown-body">
        <Loading isThere={entry !== null} error={problem.value} onRetry={read} rows={6} />
        {entry && <EntryText entry={entry} />}
      </div>
    </>
  );
}

/** A file within a page about something else. */
export function EntrySection({ path, children }: { path: string; children?: ComponentChildren }) {
  const { data, problem, read } = useEntry(path);
  return (
    <section class="entry" aria-label={visible(path)}>
      <div class="entry-head">
        <h2>
          <a class="plain" href={fileAddress(path)} data-row>
            <bdi>{visible(path.split("/").at(-1) ?? path)}</bdi>
          </a>
        </h2>
        {children}
        <span class="gap" />
        {data.value && <WrittenBy entry={data.value} />}
      </div>
      <Loading isThere={data.value !== null} error={problem.value} onRetry={read} />
      {data.value && <EntryText entry={data.value} />}
    </section>
  );
}

function WrittenBy({ entry: { run, changed_at } }: { entry: Entry }) {
  return (
    <span class="ink-3 small">
      {run !== null && (
        <>
          saved by <a href={`/runs/${run}`}>run {shortId(run)}</a>,{" "}
        </>
      )}
      {whenOf(Date.parse(changed_at), Math.floor(now.value / 60_000) * 60_000)}
    </span>
  );
}

function EntryText({ entry: { path, text, bytes, cut } }: { entry: Entry }) {
  if (text === null) return <p class="ink-2">It isn’t text: {sizeOf(bytes)}.</p>;
  if (text.trim() === "") return <p class="ink-3">It is empty.</p>;
  return (
    <>
      {/\.(?:md|markdown)$/i.test(path) ? (
        <div class="prose">
          <Markdown text={text} />
        </div>
      ) : (
        <LongText text={visible(text)} label={visible(path)} />
      )}
      {cut && (
        <p class="ink-3 small">
          It is longer, {sizeOf(bytes)} in all: <code>{visible(path)}</code> of the journal has the rest.
        </p>
      )}
    </>
  );
}
