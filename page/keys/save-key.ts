/** Ctrl S, or ⌘ S: presses the button of what has `data-save`, from a field as well. */
import { useLayoutEffect } from "preact/hooks";

export function useSaveKey(): void {
  useLayoutEffect(() => {
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function pressed(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
  event.preventDefault();
  document.querySelector<HTMLElement>("[data-save] button:not(:disabled)")?.click();
}
