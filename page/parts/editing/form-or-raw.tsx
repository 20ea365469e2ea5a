/** Whether settings are shown as a form or as JSON. */
import type { Signal } from "@preact/signals";

export function FormOrRaw({ isRaw }: { isRaw: Signal<boolean> }) {
  return (
    <div class="seg" role="group" aria-label="Settings as">
      <button type="button" aria-pressed={!isRaw.value} onClick={() => (isRaw.value = false)}>
        Form
      </button>
      <button type="button" aria-pressed={isRaw.value} onClick={() => (isRaw.value = true)}>
        Raw
      </button>
    </div>
  );
}
