/** The steps as a list, a row each, all of one height. It follows the end only while the end is in view. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../../parts/buttons/icon.tsx";
import { useRowsInView } from "../../../parts/list/use-rows-in-view.ts";
import { isPhone } from "../../../stores/browser/screen.ts";
import { placeOf, tookOf } from "../../../words/amounts/durations.ts";
import { countOf, rowMoney } from "../../../words/amounts/money.ts";
import { Filters } from "./filters.tsx";
import type { RunPage } from "../selection/run-page.ts";
import { StepDetail } from "./step-detail.tsx";
import { wordsOf } from "../selection/step-words.ts";
import type { Step } from "../../../trajectory/step.ts";
import { isSameCall } from "../../../trajectory/step.ts";
import "./event-list.css";

const rowHeight = 29;
/** The filters above the rows, in px. */
const filtersHeight = 46;
/** On a phone, the steps that led to the one that failed. */
const stepsOnPhone = 6;

export function EventList({ page }: { page: RunPage }) {
  const scroller = useRef<HTMLElement>(null);
  const shown = page.shown.value;
  const { first, last } = useRowsInView(scroller, { count: shown.length, height: rowHeight, offset: filtersHeight });
  const seen = useSignal(0);
  useFollowing(page, scroller, seen);
  useChosenInView(page, scroller);
  const fresh = page.isFollowing.value ? 0 : Math.max(0, shown.length - seen.value);
  if (isPhone.value) return <PhoneList page={page} />;
  return (
    <section class="evs" aria-label="Events" ref={scroller} tabIndex={-1}>
      <Filters page={page} />
      {shown.length === 0 ? (
        <p class="none">{page.steps.value.length === 0 ? "Nothing has happened yet." : "No step fits."}</p>
      ) : (
        <ol class="evs-rows" style={{ height: `${shown.length * rowHeight}px` }}>
          {shown.slice(first, last).map((step, index) => (
            <StepRow
              key={step.line}
              step={step}
              page={page}
              before={shown[first + index - 1]}
              top={(first + index) * rowHeight}
            />
          ))}
        </ol>
      )}
      {fresh > 0 && (
        <p class="tail">
          <button type="button" class="btn" aria-keyshortcuts="E" onClick={() => page.follow()}>
            <Icon name="down" /> {fresh} new
          </button>
        </p>
      )}
    </section>
  );
}

type RowProps = {
  step: Step;
  page: RunPage;
  before?: Step | undefined;
  top?: number;
  /** On a phone: whether the step is shown in full below its row. */
  isOpen?: boolean;
};

function StepRow({ step, page, before, top, isOpen }: RowProps) {
  const isChosen = page.current.value?.line === step.line;
  const kind = step.kind === "wait" ? "tool" : step.kind;
  const classes = ["ev", kind, step.state, isChosen && "sel", page.hovered.value === step.line && "hover"];
  const { head, text, isMono, result } = wordsOf(step);
  const cost = step.kind === "model" ? (step.usage?.costUsd ?? null) : null;
  const took = step.to === null || step.to - step.from < 1 ? "" : tookOf(step.to - step.from);
  return (
    <li
      class={classes.filter(Boolean).join(" ")}
      style={top === undefined ? undefined : { top: `${top}px` }}
      aria-current={isChosen ? "step" : undefined}
      onMouseEnter={() => (page.hovered.value = step.line)}
      onMouseLeave={() => (page.hovered.value = null)}
    >
      <button
        type="button"
        class="ev-in"
        data-line={step.line}
        aria-expanded={isOpen}
        onClick={() => page.choose(isOpen ? null : step)}
      >
        <span class="at">{placeOf(step.from - page.store.steps.from)}</span>
        <i class="k" aria-hidden="true" />
        <span class="tx">
          <span class="cut">
            {head !== "" &&
              (isMono ? (
                <code class="tool">
                  <bdi>{head}</bdi>
                </code>
              ) : (
                <bdi class={headClass(step)}>{head}</bdi>
              ))}{" "}
            {isMono ? <bdi class="arg">{text}</bdi> : <q dir="auto">{text}</q>}
          </span>
          {result !== "" && <span class="res">{result}</span>}
          {before && isSameCall(step, before) && <span class="rep">the same again</span>}
          {step.state === "failed" && <span class="off">failed</span>}
        </span>
        <span class="num">{step.to === null ? "" : took}</span>
        <span class="num c">{rowMoney(cost)}</span>
      </button>
      {isOpen && (
        <div class="detail step-here" role="group" aria-label="Step">
          <StepDetail page={page} />
        </div>
      )}
    </li>
  );
}

const headClass = ({ kind }: Step) => (kind === "model" ? "why" : "lead");

/** The step that failed, and those that led to it. */
function PhoneList({ page }: { page: RunPage }) {
  const isWhole = useSignal(false);
  const steps = page.shown.value;
  const failed = page.failures.value.at(-1);
  const end = failed && !isWhole.value ? steps.indexOf(failed) + 2 : steps.length;
  const begin = isWhole.value ? 0 : Math.max(0, end - stepsOnPhone);
  const shown = isWhole.value ? steps : steps.slice(begin, end);
  return (
    <section class="evs" aria-label="Events">
      <h2 class="evh">
        {failed ? "What led to it" : "What happened"}
        {shown.length < steps.length && (
          <button type="button" class="plain-btn" onClick={() => (isWhole.value = true)}>
            {begin > 0 ? countOf(begin, "earlier step") : countOf(steps.length - shown.length, "later step")}
          </button>
        )}
      </h2>
      <ol>
        {shown.map((step) => (
          <StepRow key={step.line} step={step} page={page} isOpen={page.chosen.value === step.line} />
        ))}
      </ol>
    </section>
  );
}

/** The end is followed while it is in view; what is read further up stays where it is. */
function useFollowing(page: RunPage, scroller: { current: HTMLElement | null }, seen: { value: number }): void {
  const count = page.shown.value.length;
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (page.chosen.peek() === null) page.isFollowing.value = left < rowHeight;
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [scroller, page]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !page.isFollowing.value) return;
    seen.value = count;
    if (!page.store.steps.isEnded || page.failures.value.length === 0) element.scrollTop = element.scrollHeight;
  }, [count, page.isFollowing.value]);
}

/** A step that is chosen elsewhere, by a key or on the lanes, comes into view. */
function useChosenInView(page: RunPage, scroller: { current: HTMLElement | null }): void {
  const line = page.current.value?.line;
  useLayoutEffect(() => {
    const element = scroller.current;
    const at = page.shown.value.findIndex((step) => step.line === line);
    if (!element || at < 0 || (page.chosen.value === null && !page.store.steps.isEnded)) return;
    const top = filtersHeight + at * rowHeight;
    const isAbove = top < element.scrollTop + filtersHeight;
    const isBelow = top + rowHeight > element.scrollTop + element.clientHeight;
    if (isAbove || isBelow) element.scrollTop = Math.max(0, top - element.clientHeight / 2);
  }, [line]);
}
