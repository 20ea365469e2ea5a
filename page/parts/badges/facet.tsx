/** A facet by its title, with its colour as a square. */
import { useEffect } from "preact/hooks";
import { facets, readFacets } from "../../stores/names/facets.ts";
import { personName, shownLine } from "../../words/names/names.ts";
import "./facet.css";

export function Facet({ name }: { name: string }) {
  useEffect(readFacets, []);
  const known = facets.value.get(name);
  return (
    <span class="facet" style={facetColour(known?.color)}>
      <bdi class="cut">{shownLine(known?.title ?? personName(name))}</bdi>
    </span>
  );
}

/** The colour that somebody gave a facet; a name that is no colour is none. */
export const facetColour = (color: string | null | undefined): Record<string, string> =>
  color !== null && color !== undefined && /^#[0-9a-f]{3,8}$/i.test(color) ? { "--facet": color } : {};
