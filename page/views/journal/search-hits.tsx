/** The hits of a search: passages with their words marked, each with its file, and the run that wrote that. */
import { answered, client } from "../../api/client.ts";
import { Loading } from "../../parts/loading/loading.tsx";
import { SideTitle } from "../../parts/layout/side-view.tsx";
import { useAnswer } from "../../parts/loading/use-answer.ts";
import { runAddress } from "../../words/navigation/addresses.ts";
import { countOf } from "../../words/amounts/money.ts";
import { shortId } from "../../words/names/names.ts";
import { visible } from "../../words/text/visible-text.ts";
import { dayTitle, fileAddress, markedPieces } from "./journal-place.ts";

const mostHits = 50;

export function SearchHits({ text }: { text: string }) {
  const { data, problem, read } = useAnswer(text, (signal) =>
    answered(client.GET("/api/v1/journal/search", { params: { query: { text, limit: mostHits } }, signal })),
  );
  const hits = data.value?.items;
  return (
    <>
      <header class="shown-head">
        <SideTitle isIndex={false}>
          <bdi>{visible(text)}</bdi>
        </SideTitle>
        {hits && <span class="ink-3">{countOf(hits.length, "passage")}, the best first</span>}
      </header>
      <div class="shown-body">
        <Loading isThere={data.value !== null} error={problem.value} onRetry={read} lines={2} />
        {hits?.length === 0 && <p class="ink-2">Nothing in the journal says that. Try fewer words.</p>}
        <ol class="hits" aria-label="Passages">
          {hits?.map(({ path, line, snippet, day, facet, run, matches }) => (
            <li key={`${path} ${line}`}>
              <a class="plain" href={fileAddress(path)} data-row>
                <span class="ink-3 small">
                  {[day === null ? "" : dayTitle(day), facet ?? ""].filter(Boolean).map(visible).join(" · ")}{" "}
                  <code>
                    {visible(path)}:{line}
                  </code>
                </span>
                <bdi class="passage">
                  {markedPieces(snippet, matches).map(({ text: piece, isFound }, index) =>
                    isFound ? <mark key={index}>{visible(piece)}</mark> : visible(piece),
                  )}
                </bdi>
              </a>
              {run !== null && (
                <span class="ink-3 small hit-run">
                  saved by <a href={runAddress(run)}>run {shortId(run)}</a>
                </span>
              )}
            </li>
          ))}
        </ol>
      </div>
    </>
  );
}
