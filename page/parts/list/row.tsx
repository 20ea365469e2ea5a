/** A row of Now: one grid in all its parts, so that the eye runs down a column. It opens in place. */
import type { ComponentChildren } from "preact";
import type { MarkKind } from "../../words/runs/run-states.ts";
import { Icon } from "../buttons/icon.tsx";
import { Mark } from "../badges/mark.tsx";
import "./row.css";

type RowProps = {
  mark: MarkKind;
  /** The mark's word. */
  state: string;
  who: string;
  from?: ComponentChildren;
  cost: string;
  age: ComponentChildren;
  /** The subject of the row, in the wide column. */
  children: ComponentChildren;
  /** The actions, shown under the pointer and with focus. */
  actions?: ComponentChildren;
  opened?: ComponentChildren;
  isOpen?: boolean;
  onToggle?: () => void;
  isGone?: boolean;
  isOneLine?: boolean;
};

export function Row(props: RowProps) {
  const { mark, state, who, from, cost, age, children, actions, opened, isOpen, onToggle, isGone, isOneLine } = props;
  const kinds = ["row", mark === "you" && "you", isOneLine && "one", isOpen && "is-open", isGone && "is-gone"];
  return (
    <li class={kinds.filter(Boolean).join(" ")} tabIndex={0} data-row onKeyDown={(event) => pressed(event, onToggle)}>
      <Mark kind={mark} label={state} />
      <div class="who">
        <b class="cut">{who}</b>
        {from !== undefined && <span class="sub">{from}</span>}
      </div>
      <div class="what">{children}</div>
      <span class="num">{cost}</span>
      <span class="num age">{age}</span>
      <span class="acts">
        {actions}
        {onToggle && (
          <button
            type="button"
            class="btn quiet icon"
            aria-expanded={isOpen}
            aria-label={`More of ${who}`}
            onClick={onToggle}
          >
            <Icon name={isOpen ? "down" : "next"} />
          </button>
        )}
      </span>
      {isOpen && <div class="open">{opened}</div>}
    </li>
  );
}

/** Keys of the focused row: Enter opens its run, Space opens it in place. Letters are those of its buttons. */
function pressed(event: KeyboardEvent, onToggle: (() => void) | undefined): void {
  // In a field or on a button, keys are those of the field or button.
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter") (event.currentTarget as HTMLElement).querySelector<HTMLAnchorElement>("a[href]")?.click();
  else if (event.key === " " && onToggle) onToggle();
  else return;
  event.preventDefault();
}
