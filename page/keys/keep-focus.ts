/**
 * The focus isn't lost with what has it. A button that goes away, or is switched off, since it was pressed leaves the focus to
 * its row, or to what stands around it and can have it (`tabIndex={-1}` says so); where the row went as well, to the row in its
 * place; where a dialog went, to what it was opened from. What is only moved, with a row that another one has passed, keeps it.
 * The next key is pressed there, and not at the top of the page.
 */
import { focusOfRow } from "./rows.ts";

type Kept = {
  element: HTMLElement;
  /** The elements around it that can have the focus, from within. */
  around: HTMLElement[];
  row: { element: HTMLElement; list: HTMLElement; at: number } | null;
  /** The element that had the focus when the dialog was opened that this one is in. */
  opener: Kept | null;
};

/** Watches the focus; returns what ends that. */
export function keepFocus(): () => void {
  let kept: Kept | null = null;
  const note = ({ target }: FocusEvent) => {
    kept = target instanceof HTMLElement ? keptOf(target, kept) : null;
  };
  const left = () => {
    queueMicrotask(() => {
      // What went away, or was moved, nobody has left.
      look(observer.takeRecords());
      if (kept && !hasGone(kept.element) && kept.element !== document.activeElement) kept = kept.opener;
    });
  };
  const look = (changes: MutationRecord[]) => {
    if (kept === null) return;
    const { element } = kept;
    if (!hasGone(element) && !wasMoved(element, changes)) return;
    const { activeElement } = document;
    const isLost = activeElement === element || activeElement === document.body || activeElement === null;
    const heir = isLost ? (hasGone(element) ? heirOf(kept) : element) : null;
    kept = null;
    heir?.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled"] });
  document.addEventListener("focusin", note);
  document.addEventListener("focusout", left);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", note);
    document.removeEventListener("focusout", left);
  };
}

const hasGone = (element: HTMLElement) => !element.isConnected || element.matches(":disabled");

/** A browser takes the focus from what is moved to another place. */
const wasMoved = (element: HTMLElement, changes: MutationRecord[]) =>
  changes.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(element)));

const rowsIn = (list: HTMLElement) => [...list.querySelectorAll<HTMLElement>(":scope > [data-row]")];

function keptOf(element: HTMLElement, before: Kept | null): Kept {
  const around: HTMLElement[] = [];
  for (let one = element.parentElement; one && one.id !== "main"; one = one.parentElement)
    if (one.matches("[tabindex], [data-row]")) around.push(one);
  const row = element.parentElement?.closest<HTMLElement>("[data-row]");
  const list = row?.parentElement;
  const dialog = element.closest("dialog");
  const isWithin = dialog !== null && before?.element.closest("dialog") === dialog;
  return {
    element,
    around,
    row: row && list ? { element: row, list, at: rowsIn(list).indexOf(row) } : null,
    opener: dialog === null || before === null ? null : isWithin ? before.opener : before,
  };
}

function heirOf({ around, row, opener }: Kept): HTMLElement | null {
  if (row && !row.element.isConnected && row.list.isConnected) {
    const rows = rowsIn(row.list);
    const next = rows[row.at] ?? rows.at(-1);
    if (next) return focusOfRow(next);
  }
  const nearest = around.find((one) => one.isConnected);
  if (nearest) return focusOfRow(nearest);
  if (opener === null) return null;
  return hasGone(opener.element) ? heirOf(opener) : opener.element;
}
