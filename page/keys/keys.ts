/**
 * Keys of the page: views and the frame say which they have, and what each does. A key may also stand in the markup
 * (`aria-keyshortcuts="A"` of a button): it presses that button in the row that has the focus, or in the view. None works in a
 * field or beside a dialog, and single letters can be switched off.
 */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

export type Keys = Record<string, () => unknown>;

const kept = "letter-keys";

/** Whether single letters do anything: kept in this browser. Ctrl K always works. */
export const areLettersOn = signal(localStorage.getItem(kept) !== "off");

/** Whether the list of keys is open. */
export const areKeysShown = signal(false);

export function switchLetters(isOn: boolean): void {
  areLettersOn.value = isOn;
  localStorage.setItem(kept, isOn ? "on" : "off");
}

/** The last one that is shown has a key. */
const shown: Keys[] = [];

/** Takes keys while a component is shown: a letter, `?`, `/`, or `g n` for one behind another. */
export function useKeys(keys: Keys): void {
  // With what is drawn: a key that is pressed as soon as something is seen isn't lost.
  useLayoutEffect(() => {
    shown.push(keys);
    return () => void shown.splice(shown.indexOf(keys), 1);
  });
}

/** Milliseconds for which a first key waits for its second. */
const sequenceMs = 1500;
let first = { key: "", at: 0 };

/** Handles a key that was pressed anywhere. */
export function pressed(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const { key } = event;
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "k") return act(event, actOf("ctrl k"));
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { target } = event;
  if (key === "Escape" && target instanceof HTMLElement && isField(target)) return leave(target);
  if (key.length > 1 || !areLettersOn.value || isBusyElsewhere(target)) return;
  const letter = key.toLowerCase();
  // By when it was pressed: a page that was busy hears of it later.
  const isSecond = first.key !== "" && event.timeStamp - first.at < sequenceMs;
  const sequence = isSecond ? actOf(`${first.key} ${letter}`) : undefined;
  first = { key: "", at: 0 };
  if (sequence) return act(event, sequence);
  if (startsSequence(letter)) {
    first = { key: letter, at: event.timeStamp };
    return;
  }
  act(event, actOf(letter) ?? buttonOf(letter));
}

/** The row of a field has the focus when the field is left. */
function leave(field: HTMLElement): void {
  const row = field.closest<HTMLElement>("[data-row][tabindex]");
  if (row) row.focus();
  else field.blur();
}

function act(event: KeyboardEvent, run: (() => unknown) | undefined): void {
  if (!run) return;
  event.preventDefault();
  run();
}

const actOf = (key: string) => shown.findLast((keys) => Object.hasOwn(keys, key))?.[key];

const startsSequence = (letter: string) =>
  shown.some((keys) => Object.keys(keys).some((key) => key.startsWith(`${letter} `)));

/** The button that has a key in the markup: of the row with the focus, else the only one of the view that stands in no row. */
function buttonOf(letter: string): (() => void) | undefined {
  const selector = `[aria-keyshortcuts="${CSS.escape(letter.toUpperCase())}"]:not(:disabled)`;
  const row = document.activeElement?.closest("[data-row]");
  // Rows may stand within an opened one.
  const ofRow = [...(row?.querySelectorAll<HTMLElement>(selector) ?? [])].find(
    (one) => one.closest("[data-row]") === row,
  );
  const ofView = [...document.querySelectorAll<HTMLElement>(`main ${selector}`)].find(
    (one) => !one.closest("[data-row]"),
  );
  const button = ofRow ?? ofView;
  return button ? () => button.click() : undefined;
}

/** Where letters are written. A box that is ticked takes none. */
const isField = (element: HTMLElement) =>
  element.isContentEditable || element.matches("input:not([type=checkbox], [type=radio]), textarea, select");

const isBusyElsewhere = (target: EventTarget | null) =>
  (target instanceof HTMLElement && isField(target)) || document.querySelector("dialog:modal") !== null;
