/** Ctrl S, or ⌘ S: presses the button of what has `data-save`, from a field as well. */
import { useEffect } from "preact/hooks";

export function useSaveKey(): void {
  useEffect(() => {
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function pressed(event: KeyboardEvent): void {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
  event.preventDefault();
  document.querySelector<HTMLElement>("[data-save] button:not(:disabled)")?.click();
}
