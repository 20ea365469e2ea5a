/**
 * The scrolling of what was said: it follows its end while that is in view, and otherwise stays at the line one reads, whatever
 * comes above or below. Where somebody was is kept, and found again after a reload.
 */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { keepAnchor, readAnchor, type ScrollAnchor } from "../../../stores/browser/scroll-anchor.ts";

/** This near to the end, in pixels, is at the end. */
const nearEnd = 24;

/** @param place names the conversation, @param ids the rows in order, by their `data-id` */
export function useLogScroll(log: RefObject<HTMLElement | null>, place: string, ids: readonly string[]) {
  const isAtEnd = useSignal(true);
  /** How many came since the end was last in view. */
  const fresh = useSignal(0);
  const anchor = useRef<ScrollAnchor | null | undefined>(undefined);
  const last = useRef<string | undefined>(undefined);
  if (anchor.current === undefined) {
    anchor.current = readAnchor(place);
    isAtEnd.value = anchor.current === null;
  }

  /** Where it was when it was last looked at. */
  const seenTop = useRef<number | undefined>(undefined);
  const note = (current: HTMLElement) => {
    seenTop.current = current.scrollTop;
    isAtEnd.value = current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd;
    if (isAtEnd.value) fresh.value = 0;
    anchor.current = isAtEnd.value ? null : firstInView(current);
    keepAnchor(place, anchor.current);
  };
  const settle = () => {
    const { current } = log;
    if (!current) return;
    // Somebody has scrolled, and the browser tells of it later.
    if (seenTop.current !== undefined && current.scrollTop !== seenTop.current) note(current);
    const kept = anchor.current;
    const row = kept && current.querySelector<HTMLElement>(`[data-id="${CSS.escape(kept.row)}"]`);
    if (isAtEnd.peek() || !row) current.scrollTop = current.scrollHeight;
    else current.scrollTop += row.getBoundingClientRect().top - current.getBoundingClientRect().top - kept.top;
    seenTop.current = current.scrollTop;
  };

  useLayoutEffect(() => {
    const before = last.current;
    last.current = ids.at(-1);
    settle();
    if (before !== undefined && !isAtEnd.peek()) {
      const at = ids.indexOf(before);
      if (at !== -1 && at < ids.length - 1) fresh.value += ids.length - 1 - at;
    }
  }, [ids.join(" ")]);

  useEffect(() => {
    const { current } = log;
    const inner = current?.firstElementChild;
    if (!current || !inner) return;
    const heard = () => note(current);
    // Text that grows, and pictures that are there at last, change heights without a new row.
    const observer = new ResizeObserver(settle);
    observer.observe(inner);
    observer.observe(current);
    current.addEventListener("scroll", heard, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", heard);
    };
  }, [place, ids.length > 0]);

  const toEnd = () => {
    isAtEnd.value = true;
    fresh.value = 0;
    settle();
  };
  return { isAtEnd, fresh, toEnd };
}

function firstInView(log: HTMLElement): ScrollAnchor | null {
  const { top } = log.getBoundingClientRect();
  for (const row of log.querySelectorAll<HTMLElement>("[data-id]")) {
    const box = row.getBoundingClientRect();
    if (box.bottom > top) return { row: row.dataset["id"] ?? "", top: box.top - top };
  }
  return null;
}
