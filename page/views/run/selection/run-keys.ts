/** Keys of a run's page: F first failure, E follow the end, Z shows all, arrows walk the steps. */
import { useEffect } from "preact/hooks";
import { useKeys } from "../../../keys/keys.ts";
import type { RunPage } from "./run-page.ts";

const walks: Record<string, 1 | -1> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export function useRunKeys(page: RunPage): void {
  useKeys({
    f: () => page.chooseFirstFailure(),
    e: () => page.follow(),
    z: () => (page.zoom.value = null),
  });
  useEffect(() => {
    const walk = (event: KeyboardEvent) => {
      const by = walks[event.key];
      if (by === undefined || event.defaultPrevented || isTaken(event)) return;
      event.preventDefault();
      page.walk(by);
    };
    document.addEventListener("keydown", walk);
    return () => document.removeEventListener("keydown", walk);
  }, [page]);
}

/** Arrows move in fields, and scroll what is scrolled by them. */
function isTaken({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || document.querySelector("dialog:modal") !== null) return true;
  return target instanceof Element && target.closest("input, textarea, select, pre, [role=group]") !== null;
}
