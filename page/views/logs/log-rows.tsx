/** The lines, a row each, all of one height. The end is followed while it is in view; what is read further up stays where it is. */
import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Found } from "../../parts/content/found.tsx";
import { Icon } from "../../parts/buttons/icon.tsx";
import { useRowsInView } from "../../parts/list/use-rows-in-view.ts";
import { clockWithSeconds, dayKey, dayName } from "../../words/time/times.ts";
import { cutText, visible } from "../../words/text/visible-text.ts";
import { fieldsOf } from "./log-filters.ts";
import type { LogsStore, NumberedLine } from "./logs-store.ts";
import { ansiPieces } from "../../words/text/ansi-text.ts";

const rowHeight = 25;
/** Characters of a line that stand in its row. */
const longestRow = 400;

type RowsProps = {
  store: LogsStore;
  lines: readonly NumberedLine[];
  words: string;
  chosen: Signal<number | null>;
  isFollowing: Signal<boolean>;
};

export function LogRows({ store, lines, words, chosen, isFollowing }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const { first, last } = useRowsInView(scroller, { count: lines.length, height: rowHeight });
  const seen = useSignal<number | null>(null);
  const end = lines.at(-1)?.number ?? null;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      isFollowing.value = left < rowHeight;
      store.isFollowed = isFollowing.value;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [store]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !isFollowing.value) return;
    seen.value = end;
    element.scrollTop = element.scrollHeight;
  }, [end, lines.length, isFollowing.value, chosen.value === null]);
  const fresh = isFollowing.value ? 0 : lines.length - 1 - lines.findLastIndex(({ number }) => number === seen.value);
  const now = Date.now();
  return (
    <div class="log-box">
      <div class="log-rows" ref={scroller} tabIndex={-1}>
        <ol aria-label="Lines" style={{ height: `${lines.length * rowHeight}px` }}>
          {lines.slice(first, last).map((line, index) => {
            const before = lines[first + index - 1];
            const isNewDay = before !== undefined && dayKey(before.time) !== dayKey(line.time);
            return (
              <LogRow
                key={line.number}
                line={line}
                top={(first + index) * rowHeight}
                words={words}
                day={isNewDay ? dayName(line.time, now) : null}
                isChosen={line.number === chosen.value}
                onChoose={() => (chosen.value = chosen.value === line.number ? null : line.number)}
              />
            );
          })}
        </ol>
      </div>
      {fresh > 0 && seen.value !== null && (
        <p class="tail">
          <button type="button" class="btn" aria-keyshortcuts="E" onClick={() => (isFollowing.value = true)}>
            <Icon name="down" /> {fresh} new
          </button>
        </p>
      )}
    </div>
  );
}

export const levelWords = {
  trace: "trace",
  debug: "debug",
  info: "",
  warn: "warning",
  error: "error",
  fatal: "error",
} as const;

type RowProps = {
  line: NumberedLine;
  top: number;
  words: string;
  day: string | null;
  isChosen: boolean;
  onChoose: () => void;
};

function LogRow({ line, top, words, day, isChosen, onChoose }: RowProps) {
  const { program, level, text, time } = line;
  const classes = ["log-row", isChosen && "sel", level !== null && `is-${level}`, day !== null && "new-day"];
  return (
    <li class={classes.filter(Boolean).join(" ")} style={{ top: `${top}px` }} title={day ?? undefined}>
      <button type="button" aria-expanded={isChosen} onClick={onChoose} data-row>
        <span class="at">{clockWithSeconds(time)}</span>
        <span class="level">{level === null ? "" : levelWords[level]}</span>
        <span class="program cut">{program}</span>
        <bdi class="said cut">
          <LineText text={text} words={words} />{" "}
          <span class="rest">
            <Found text={visible(cutText(fieldsOf(line), longestRow).text)} words={words} />
          </span>
        </bdi>
      </button>
    </li>
  );
}

/** A line's text with the colours that its program gave it. */
export function LineText({ text, words, most = longestRow }: { text: string; words: string; most?: number }) {
  return (
    <>
      {ansiPieces(cutText(text, most).text).map(({ text: piece, colour, isBold, isDim }, index) => (
        <span
          key={index}
          class={[colour && `ansi-${colour}`, isBold && "strong", isDim && "ink-3"].filter(Boolean).join(" ")}
        >
          <Found text={visible(piece)} words={words} />
        </span>
      ))}
    </>
  );
}
