/** The days, facets or reports, each a link. Days and reports are read as far as somebody wants to go back. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { answered, type ApiRecord, client } from "../../api/client.ts";
import { onJournalChange } from "../../live/journal-changes.ts";
import { Button } from "../../parts/buttons/button.tsx";
import { Loading } from "../../parts/loading/loading.tsx";
import { countOf, sizeOf } from "../../words/amounts/money.ts";
import { visible } from "../../words/text/visible-text.ts";
import { dayAddress, dayTitle, facetAddress, fileAddress, type JournalPlace, type Section } from "./journal-place.ts";

type Row = { address: string; name: string; note: string; under: string };

/** Entries that are read at once. */
const pageSize = 100;

type Read = { rows: readonly Row[]; next: string | null };

/** One section's list: another section has one of its own, so that no answer comes under what it wasn't asked for. */
export function SideList({ section, place }: { section: Section; place: JournalPlace }) {
  const list = useSignal<Read | null>(null);
  const problem = useSignal<unknown>(null);
  const read = async (cursor: string | null) => {
    try {
      const { rows, next } = await readers[section](cursor);
      // What was read anew meanwhile stays.
      const before = cursor === null ? [] : (list.value?.rows ?? []);
      list.value = { rows: [...before, ...rows], next };
      problem.value = null;
    } catch (error) {
      problem.value = error;
    }
  };
  /** Reads what is newest anew: what was read behind it stays. */
  const readNewest = async () => {
    const before = list.value;
    const fresh = await readers[section](null);
    if (list.value !== before) return;
    const last = fresh.rows.at(-1)?.address;
    const at = before?.rows.findIndex(({ address }) => address === last) ?? -1;
    const behind = at === -1 ? [] : (before?.rows.slice(at + 1) ?? []);
    problem.value = null;
    list.value = behind.length === 0 ? fresh : { rows: [...fresh.rows, ...behind], next: before?.next ?? null };
  };
  useEffect(() => {
    void read(null);
    // A list that can't be read now is read at the next change.
    return onJournalChange(section === "facets" ? ["facets"] : ["days", "facets"], () => readNewest().catch(() => {}));
  }, []);
  const shown = addressOf(place);
  const { rows = [], next = null } = list.value ?? {};
  return (
    <>
      <Loading isThere={list.value !== null} error={problem.value} onRetry={() => read(null)} rows={8} lines={2} />
      {list.value !== null && rows.length === 0 && <p class="side-note">{nothing[section]}</p>}
      <ul aria-label={section}>
        {rows.map(({ address, name, note, under }) => (
          <li key={address}>
            <a
              class="side-row no-mark"
              href={section === "reports" ? `${address}?of=reports` : address}
              aria-current={address === shown ? "page" : undefined}
              data-row
            >
              <bdi class="cut">{visible(name)}</bdi>
              <span class="ink-3 small">{note}</span>
              {under !== "" && (
                <span class="under">
                  <bdi class="cut">{visible(under)}</bdi>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      {next !== null && (
        <p class="side-note">
          <Button kind="quiet" busyText="Reading" onPress={() => read(next)}>
            Earlier ones
          </Button>
        </p>
      )}
    </>
  );
}

const nothing: Record<Section, string> = {
  days: "No day has anything yet.",
  facets: "There are no facets yet.",
  reports: "No run has saved anything yet: a persona with “save” does.",
};

function addressOf(place: JournalPlace): string | null {
  if (place.kind === "day") return dayAddress(place.day);
  if (place.kind === "facet") return facetAddress(place.name);
  return place.kind === "file" ? fileAddress(place.path) : null;
}

const readers: Record<Section, (cursor: string | null) => Promise<Read>> = {
  days: async (cursor) => {
    const query = { limit: pageSize, ...(cursor !== null && { cursor }) };
    const { items, next } = await answered(client.GET("/api/v1/journal/days", { params: { query } }));
    const rows = items.map(({ day, files }) => ({
      address: dayAddress(day),
      name: dayTitle(day),
      note: countOf(files, "file"),
      under: "",
    }));
    return { rows, next };
  },
  facets: async () => {
    const { items } = await answered(client.GET("/api/v1/journal/facets"));
    return { rows: items.map(facetRow), next: null };
  },
  reports: async (cursor) => {
    const query = { limit: pageSize, ...(cursor !== null && { cursor }) };
    const { items, next } = await answered(client.GET("/api/v1/journal/reports", { params: { query } }));
    const rows = items.map(({ path, day, bytes }) => ({
      address: fileAddress(path),
      name: path.slice(day.length + 1),
      note: sizeOf(bytes),
      under: dayTitle(day),
    }));
    return { rows, next };
  },
};

const facetRow = ({ name, title, description, muted, emoji }: ApiRecord<"Facet">): Row => ({
  address: facetAddress(name),
  name: emoji === null ? title : `${emoji} ${title}`,
  note: muted ? "muted" : "",
  under: description ?? "",
});
