/** The journal: its days, facets, and what runs have saved there; read, and searched. */
import { useLocation } from "preact-iso";
import { Segments } from "../../parts/buttons/segments.tsx";
import { SideTitle, SideView } from "../../parts/layout/side-view.tsx";
import { visible } from "../../words/text/visible-text.ts";
import { DayPage } from "./day-page.tsx";
import { EntryPage } from "./entry-page.tsx";
import { FacetPage } from "./facet-page.tsx";
import { JournalSearch } from "./journal-search.tsx";
import { dayTitle, indexAddress, type JournalPlace, placeOf, sectionOf, sections } from "./journal-place.ts";
import { SearchHits } from "./search-hits.tsx";
import { SideList } from "./side-list.tsx";
import "./journal.css";

type JournalProps = { params?: { rest?: string }; query?: Record<string, string> };

export default function JournalView({ params, query = {} }: JournalProps) {
  const { route } = useLocation();
  const { text = "", of } = query;
  const place = placeOf(params?.rest ?? "");
  const section = sectionOf(place, of);
  const isIndex = place.kind === "index" && text === "";
  return (
    <SideView
      title="Journal"
      address="/journal"
      isIndex={isIndex}
      tab={tabOf(place, text)}
      side={
        <>
          <JournalSearch text={text} onSearch={(words) => route(indexAddress(words === "" ? {} : { text: words }))} />
          <div class="journal-sections">
            <Segments
              label="What of the journal"
              options={sections}
              value={section}
              onChange={(id) => route(indexAddress(id === "days" ? {} : { of: id }))}
            />
          </div>
          <SideList key={section} section={section} place={place} />
        </>
      }
    >
      {place.kind === "day" && <DayPage key={place.day} day={place.day} />}
      {place.kind === "facet" && <FacetPage key={place.name} name={place.name} />}
      {place.kind === "file" && <EntryPage key={place.path} path={place.path} />}
      {place.kind === "index" && text !== "" && <SearchHits key={text} text={text} />}
      {isIndex && (
        <div class="shown-body">
          <SideTitle isIndex>Choose a day, a facet or a report</SideTitle>
          <p class="ink-2">Or search in all of them: / brings you there. At the terminal:</p>
          <pre class="out">cortex tools call search_journal query="greenhouse heater"</pre>
        </div>
      )}
    </SideView>
  );
}

function tabOf(place: JournalPlace, text: string): string {
  if (place.kind === "day") return dayTitle(place.day);
  if (place.kind === "facet") return `Facet ${visible(place.name)}`;
  if (place.kind === "file") return visible(place.path);
  return text === "" ? "Journal" : `Journal: ${text}`;
}
