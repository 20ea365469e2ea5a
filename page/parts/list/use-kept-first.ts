/** The first of a list, for a view where nothing was chosen. */
import { useRef } from "preact/hooks";

/** Keeps what is shown at first as long as it is listed, whatever comes before it meanwhile: somebody may be typing in it. */
export function useKeptFirst(listed: readonly string[]): string | null {
  const kept = useRef<string | null>(null);
  if (kept.current === null || !listed.includes(kept.current)) kept.current = listed[0] ?? null;
  return kept.current;
}
