/** The button that begins a new request: N does the same. */
import { isAsking } from "./new-request.tsx";
import "./new-request.css";
import { Icon } from "../buttons/icon.tsx";

export function NewRequestButton() {
  return (
    <button
      type="button"
      class="btn new-request-button"
      onClick={() => {
        isAsking.value = true;
      }}
    >
      <span class="only-phone">
        <Icon name="plus" />
      </span>
      <span class="new-request-word">New request</span> <kbd aria-hidden="true">N</kbd>
    </button>
  );
}
