/** J and K: from row to row of a view. A row is whatever has `data-row`; it has the focus itself, or by its first link. */

export function moveRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")].filter(
    (row) => row.offsetParent !== null,
  );
  if (rows.length === 0) return;
  const current = document.activeElement?.closest<HTMLElement>("[data-row]");
  const at = current ? rows.indexOf(current) : -1;
  const next = at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by));
  const row = rows[next];
  if (row) focusOfRow(row)?.focus();
  row?.scrollIntoView({ block: "nearest" });
}

/** The element of a row that has the focus when the row does: itself, where it can, else its first link or button. */
export function focusOfRow(row: HTMLElement): HTMLElement | null {
  return row.hasAttribute("tabindex") || row.tabIndex >= 0
    ? row
    : row.querySelector<HTMLElement>("a[href], button:not(:disabled)");
}
