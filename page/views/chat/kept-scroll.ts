/**
 * Where one reads in a list that grows at both ends: the line one reads never moves; the end is followed only while it is in
 * view; and the place is kept for each conversation over reloads.
 */
import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { keepAnchor, readAnchor, type ScrollAnchor } from "../../stores/browser/scroll-anchor.ts";

/** So near to the end one reads the end, and so near to the begin older ones are read, in px. */
const [endPx, olderPx] = [40, 500];
/** So many pages are read to come back to where one was. */
const mostPages = 10;

export type KeptScroll = {
  isAtEnd: Signal<boolean>;
  /** How many have come since the end was left. */
  behind: Signal<number>;
  toEnd: () => void;
};

/** `keys`: of those that are counted. */
type Rows = { isReady: boolean; keys: string[]; hasOlder: boolean; readOlder: () => Promise<void> };

/** @param place under which it is kept; rows have `data-key` */
export function useKeptScroll(list: RefObject<HTMLElement | null>, place: string, rows: Rows): KeptScroll {
  const isAtEnd = useSignal(true);
  const behind = useSignal(0);
  /** Null: the end is followed. */
  const anchor = useRef<ScrollAnchor | null>(readAnchor(place));
  const pagesLeft = useRef(mostPages);
  const isSettled = useRef(false);
  const lastSeen = useRef<string | undefined>(undefined);
  /** Where the list was put, or was seen to stand, in px. */
  const seenTop = useRef<number | null>(null);
  const latest = useRef(rows);
  latest.current = rows;

  const settle = () => {
    const { current } = list;
    const { isReady, hasOlder, readOlder, keys } = latest.current;
    if (!current || !isReady) return;
    // Somebody has scrolled, and the browser tells of it later.
    if (isSettled.current && !isPut(current)) notePlace(current);
    const wanted = anchor.current;
    const row = wanted === null ? null : rowOf(current, wanted.row);
    if (wanted !== null && row) {
      current.scrollTop += row.getBoundingClientRect().top - current.getBoundingClientRect().top - wanted.top;
    } else if (wanted !== null && !isSettled.current && hasOlder && pagesLeft.current-- > 0) {
      return void readOlder();
    } else {
      anchor.current = null;
      current.scrollTop = current.scrollHeight;
    }
    isSettled.current = true;
    seenTop.current = current.scrollTop;
    isAtEnd.value = anchor.current === null;
    // Where one comes back to a line, all that stands there by then is known.
    if (isAtEnd.value || lastSeen.current === undefined) lastSeen.current = keys.at(-1);
    const seen = lastSeen.current === undefined ? -1 : keys.lastIndexOf(lastSeen.current);
    behind.value = isAtEnd.value || seen === -1 ? 0 : keys.length - 1 - seen;
  };

  const noteScroll = () => {
    const { current } = list;
    if (!current || !isSettled.current) return;
    if (!isPut(current)) notePlace(current);
    if (current.scrollTop < olderPx && latest.current.hasOlder) void latest.current.readOlder();
  };

  /** Whether it stands where it was last seen, or at the end of what is shorter now. */
  const isPut = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) =>
    seenTop.current !== null && Math.abs(scrollTop - Math.min(seenTop.current, scrollHeight - clientHeight)) < 1;

  const notePlace = (current: HTMLElement) => {
    seenTop.current = current.scrollTop;
    const atEnd = current.scrollHeight - current.scrollTop - current.clientHeight < endPx;
    anchor.current = atEnd ? null : anchorIn(current);
    isAtEnd.value = atEnd;
    if (atEnd) {
      behind.value = 0;
      lastSeen.current = latest.current.keys.at(-1);
    }
    keepAnchor(place, anchor.current);
  };

  useLayoutEffect(settle);
  useEffect(() => {
    const { current } = list;
    if (!current) return;
    current.addEventListener("scroll", noteScroll, { passive: true });
    // What is shown grows by itself as well: code gets its colours, pictures come, the window changes.
    const sizes = new ResizeObserver(settle);
    sizes.observe(current);
    if (current.firstElementChild) sizes.observe(current.firstElementChild);
    return () => {
      current.removeEventListener("scroll", noteScroll);
      sizes.disconnect();
    };
  }, [rows.isReady]);

  const toEnd = () => {
    anchor.current = null;
    keepAnchor(place, null);
    settle();
  };
  return { isAtEnd, behind, toEnd };
}

/** The first row that can be seen; where that is still being said, the one above it: what is said will be another row. */
function anchorIn(list: HTMLElement): ScrollAnchor | null {
  const { top } = list.getBoundingClientRect();
  const rows = [...list.querySelectorAll<HTMLElement>("[data-key]")];
  const at = rows.findIndex((row) => row.getBoundingClientRect().bottom > top + 1);
  const row = rows[at]?.ariaBusy === "true" ? (rows[at - 1] ?? rows[at]) : rows[at];
  return row ? { row: row.dataset["key"] ?? "", top: row.getBoundingClientRect().top - top } : null;
}

const rowOf = (list: HTMLElement, key: string) => list.querySelector(`[data-key="${CSS.escape(key)}"]`);
