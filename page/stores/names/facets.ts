/** The facets with their titles and colours: read when the first of them is shown. */
import { signal } from "@preact/signals";
import { answered, type ApiRecord, client } from "../../api/client.ts";

type Facet = ApiRecord<"Facet">;

export const facets = signal<ReadonlyMap<string, Facet>>(new Map());

let wasRead = false;

/** Without an answer a facet has its name, and is read when the next is shown. */
export function readFacets(): void {
  if (wasRead) return;
  wasRead = true;
  answered(client.GET("/api/v1/journal/facets")).then(
    ({ items }) => {
      facets.value = new Map(items.map((facet) => [facet.name, facet]));
    },
    () => {
      wasRead = false;
    },
  );
}
