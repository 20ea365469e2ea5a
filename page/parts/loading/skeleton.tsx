/** Still grey bars in the place of rows that are being read: nothing at first, so that what is there at once doesn't flicker. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import "./skeleton.css";

/** Milliseconds after which bars are shown. */
const shownAfterMs = 150;

export type SkeletonProps = {
  /** How many rows stand for those that come. */
  rows?: number;
  /** How many lines a row has. */
  lines?: 1 | 2;
};

export function Skeleton({ rows = 4, lines = 1 }: SkeletonProps) {
  const isShown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => (isShown.value = true), shownAfterMs);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown.value) return null;
  return (
    <div class="skeleton" role="group" aria-label="Loading" aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class={lines === 2 ? "skeleton-row is-two" : "skeleton-row"} aria-hidden="true">
          <i />
          {lines === 2 && <i />}
        </div>
      ))}
    </div>
  );
}
