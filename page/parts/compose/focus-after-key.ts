/** Gives the focus back to a field whose text is sent by a key on the button beside it: one writes on there. */
export function focusAfterKey(field: HTMLElement | null): void {
  const pressed = document.activeElement;
  // A finger that sends wants to read what comes, and no keyboard over it.
  if (pressed !== field && pressed?.matches("button:focus-visible")) field?.focus();
}
