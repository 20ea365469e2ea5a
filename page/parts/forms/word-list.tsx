/** Texts as a list: each can be taken away, and another one added. */
import { useSignal } from "@preact/signals";
import { Icon } from "../buttons/icon.tsx";
import { Suggestions } from "./suggestions.tsx";
import "./chip.css";

type WordListProps = {
  id: string;
  words: readonly string[];
  suggestions: readonly string[];
  class: string;
  onChange: (words: readonly string[]) => void;
};

export function WordList({ id, words, suggestions, class: more, onChange }: WordListProps) {
  const typed = useSignal("");
  const add = () => {
    const word = typed.value.trim();
    typed.value = "";
    if (word !== "" && !words.includes(word)) onChange([...words, word]);
  };
  const open = suggestions.filter((one) => !words.includes(one));
  return (
    <div class={`${more} word-list`}>
      {words.map((word, index) => (
        <span class="chip" key={`${index} ${word}`}>
          <bdi class="cut">{word}</bdi>
          <button
            type="button"
            aria-label={`Remove ${word}`}
            onClick={() => onChange(words.filter((_, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
        </span>
      ))}
      <input
        id={id}
        value={typed}
        list={`${id}-list`}
        placeholder={words.length === 0 ? "Add one, then Enter" : "Add another one"}
        autocomplete="off"
        aria-describedby={`${id}-note`}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onChange={add}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.isComposing) {
            event.preventDefault();
            add();
          }
          if (event.key === "Backspace" && typed.value === "" && words.length > 0) onChange(words.slice(0, -1));
        }}
      />
      <Suggestions id={`${id}-list`} of={open} />
    </div>
  );
}
