/** Ctrl K: finds any view, run, thing or command by a few of its letters. A combobox: the focus stays in the field. */
import { signal, useComputed, useSignal } from "@preact/signals";
import { useLocation } from "preact-iso";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { messageOf } from "../../words/notices/problem.ts";
import { type Answer, chosenOf, nameOf, nextName, opened } from "./find-answers.ts";
import { askSources, noAnswers } from "./ask-sources.ts";
import { FoundRows } from "./found-rows.tsx";
import type { Found } from "./found.ts";
import { forgetAll } from "./known-lists.ts";
import "./finder.css";

export const isFinding = signal(false);

export function Finder() {
  return isFinding.value ? <FinderDialog /> : null;
}

function FinderDialog() {
  const { route } = useLocation();
  const dialog = useRef<HTMLDialogElement>(null);
  const typed = useSignal("");
  const text = useComputed(() => typed.value.trim());
  const answers = useSignal<readonly Answer[]>(noAnswers());
  const walkedTo = useSignal<string | null>(null);
  /** Enter was pressed before it was known what comes first. */
  const isEntered = useSignal(false);
  const busy = useSignal<string | null>(null);
  const problem = useSignal<unknown>(null);
  const close = () => {
    isFinding.value = false;
  };
  // Before anything else is typed.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => {
      current?.close();
      forgetAll();
    };
  }, []);
  useEffect(() => askSources(text.value, answers), [text.value]);
  useEffect(() => {
    if (isEntered.value) enter();
  }, [answers.value]);

  const open = async (name: string, found: Found) => {
    if (busy.value !== null) return;
    const to = typeof found.to === "string" ? found.to : found.to();
    if (to instanceof Promise) {
      busy.value = name;
      problem.value = null;
      try {
        go(await to);
      } catch (error) {
        problem.value = error;
      } finally {
        busy.value = null;
      }
    } else go(to);
  };
  /** Goes there. Whoever has closed the finder meanwhile stays where they are. */
  const go = (to: unknown) => {
    if (!dialog.current?.isConnected) return;
    close();
    if (typeof to === "string") route(to);
  };
  const enter = () => {
    const one = opened(answers.value, text.value, walkedTo.value);
    isEntered.value = one === null;
    if (one) void open(one.name, one.found);
  };
  /** At once, not when it is shown: Enter may be pressed in between. */
  const type = (value: string) => {
    typed.value = value;
    walkedTo.value = null;
    isEntered.value = false;
    problem.value = null;
  };
  const chosen = chosenOf(answers.value, walkedTo.value);
  const walk = (event: KeyboardEvent) => {
    // At once: left to the browser, it would be told of later, and Ctrl K in between would open nothing.
    if (event.key === "Escape" && !event.isComposing) {
      event.preventDefault();
      return close();
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined && (event.key !== "Enter" || event.isComposing)) return;
    event.preventDefault();
    if (by === undefined) enter();
    else walkedTo.value = nextName(answers.value, chosen, by);
  };
  const isAnswered = answers.value.every(({ text: of }) => of === text.value);
  const away = answers.value.filter(({ isAway }) => isAway).map(({ group }) => group);
  return (
    <dialog
      ref={dialog}
      class="dialog finder"
      aria-label="Find"
      // The browser tells of it late: perhaps when another one is open already.
      onClose={({ currentTarget }) => currentTarget.isConnected && close()}
      onClick={(event) => event.target === dialog.current && close()}
    >
      <input
        class="finder-field"
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={chosen === undefined ? undefined : "found-chosen"}
        aria-label="Find a view, an agent, a run, a day or a command"
        placeholder="Find a view, an agent, a run, a day or a command"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        value={typed}
        onInput={({ currentTarget }) => type(currentTarget.value)}
        onKeyDown={walk}
      />
      <div id="found" role="listbox" aria-label="Found" aria-busy={!isAnswered}>
        <FoundRows
          answers={answers.value}
          chosen={chosen}
          busy={busy.value}
          onOpen={(group, found) => void open(nameOf(group, found), found)}
        />
      </div>
      {problem.value !== null && (
        <p class="finder-none t-failed" role="alert">
          {messageOf(problem.value)}
        </p>
      )}
      {chosen === undefined && isAnswered && <p class="finder-none">Nothing has “{text.value}”.</p>}
      {away.length > 0 && <p class="finder-none">{away.join(", ")}: can’t be looked through now.</p>}
    </dialog>
  );
}
