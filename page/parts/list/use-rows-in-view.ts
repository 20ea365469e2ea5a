/** The rows of one height that are in view of what scrolls: a hundred thousand scroll like ten. */
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { rowsInView } from "./rows-in-view.ts";

type Rows = { count: number; height: number; offset?: number };

/** The first row to be in the page, and the one behind the last; it is told anew when somebody scrolls. */
export function useRowsInView(scroller: RefObject<HTMLElement | null>, { count, height, offset = 0 }: Rows) {
  const seen = useSignal({ top: 0, size: 0 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      seen.value = { top: element.scrollTop, size: element.clientHeight };
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const watcher = new ResizeObserver(look);
    watcher.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      watcher.disconnect();
    };
  }, [scroller]);
  return rowsInView({ ...seen.value, offset, count, height });
}
