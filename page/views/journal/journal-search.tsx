/** The field that searches all of the journal. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Icon } from "../../parts/buttons/icon.tsx";
import "../../parts/forms/field.css";

export function JournalSearch({ text, onSearch }: { text: string; onSearch: (words: string) => void }) {
  const typed = useSignal(text);
  useEffect(() => {
    typed.value = text;
  }, [text]);
  return (
    <form
      class="journal-search"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(typed.value.trim());
      }}
    >
      <label class="field">
        <Icon name="search" />
        <span class="off">Search the journal</span>
        <input
          type="search"
          placeholder="Search the journal"
          maxLength={500}
          data-filter
          value={typed}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <kbd class="no-phone" aria-hidden="true">
          /
        </kbd>
      </label>
    </form>
  );
}
