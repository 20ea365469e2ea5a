/** A button. What it starts may take a while: it is busy meanwhile, and says what went wrong beside itself. */
import type { ComponentChildren } from "preact";
import { useSignal } from "@preact/signals";
import { messageOf } from "../../words/notices/problem.ts";
import "./button.css";

type ButtonProps = {
  /** `primary`: the one next sensible thing of a screen. */
  kind?: "primary" | "outline" | "quiet" | "danger";
  /** Where its text alone doesn't say what it acts on. */
  label?: string | undefined;
  /** Shown while it works. */
  busyText?: string;
  isOff?: boolean;
  /** The letter that presses it, in the row with the focus or in the view: `keys/keys.ts`. */
  keyName?: string;
  class?: string;
  onPress: () => unknown;
  children: ComponentChildren;
};

export function Button(props: ButtonProps) {
  const { kind = "outline", label, busyText, isOff, keyName, onPress, children, class: more = "" } = props;
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const press = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      await onPress();
    } catch (error) {
      problem.value = messageOf(error);
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <>
      <button
        type="button"
        class={`btn ${kind} ${more}`}
        aria-label={label}
        aria-busy={isBusy.value}
        aria-keyshortcuts={keyName}
        disabled={isOff}
        onClick={() => void press()}
      >
        {isBusy.value && busyText !== undefined ? busyText : children}
      </button>
      {problem.value !== null && (
        <span class="t-failed small" role="alert">
          {problem.value}
        </span>
      )}
    </>
  );
}
