/** The finds, in groups: each is an option, and one of them is chosen. */
import { type Answer, nameOf } from "./find-answers.ts";
import { visible } from "../../words/text/visible-text.ts";
import type { Found } from "./found.ts";

/** The longest that is shown of a text: it is cut at the row's end anyway. */
const mostShown = 300;

type RowsProps = {
  answers: readonly Answer[];
  /** The name of one. */
  chosen: string | undefined;
  busy: string | null;
  onOpen: (group: string, found: Found) => void;
};

export function FoundRows({ answers, chosen, busy, onOpen }: RowsProps) {
  return answers.map(({ group, found }, at) =>
    found.length === 0 ? null : (
      <div key={group} role="group" aria-labelledby={`found-of-${at}`}>
        <p class="finder-group" id={`found-of-${at}`} role="presentation">
          {group}
        </p>
        {found.map((one) => {
          const name = nameOf(group, one);
          return (
            <div
              key={one.key}
              id={name === chosen ? "found-chosen" : undefined}
              class="finder-row"
              role="option"
              aria-selected={name === chosen}
              aria-busy={name === busy}
              ref={name === chosen ? showRow : undefined}
              onClick={() => onOpen(group, one)}
            >
              <bdi class="cut">{visible(one.text.slice(0, mostShown))}</bdi>
              {one.note !== undefined && <bdi class="ink-3">{visible(one.note.slice(0, mostShown))}</bdi>}
            </div>
          );
        })}
      </div>
    ),
  );
}

const showRow = (row: Element | null) => row?.scrollIntoView({ block: "nearest" });
