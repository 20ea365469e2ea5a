/** The trajectory: lanes of attempts, inputs, model, tools and cost on one axis of time. The list beside it says the same in words. */
import { useComputed, useSignal } from "@preact/signals";
import { now } from "../../../stores/browser/clock.ts";
import { placeOf, tookOf } from "../../../words/amounts/durations.ts";
import { rowMoney } from "../../../words/amounts/money.ts";
import { firstLine } from "../../../words/names/names.ts";
import { mainArgument } from "../../../words/runs/questions.ts";
import { BarCanvas } from "./bar-canvas.tsx";
import type { RunPage } from "../selection/run-page.ts";
import { type Bar, lanesOf, mostRows, reasoningShare } from "../../../trajectory/lanes.ts";
import { axisOf, zoomTo } from "../../../trajectory/time-axis.ts";
import "./trajectory.css";

/** Above this many bars they are drawn on a canvas. */
const mostElements = 2000;

const percent = (part: number) => `${(part * 100).toFixed(3)}%`;
const rowHeight = 24;
const labelWidth = 68;

export function Trajectory({ page }: { page: RunPage }) {
  const drawn = useSignal<{ from: number; to: number } | null>(null);
  const view = useComputed(() => {
    const { steps } = page.store;
    const all = page.steps.value;
    const time = steps.isEnded ? steps.latest : now.value;
    const whole = page.whole(time);
    const span = page.zoom.value ?? whole;
    return { whole, axis: axisOf(span), lanes: lanesOf(all, span, steps.from, time), time, isEnded: steps.isEnded };
  });
  const { whole, axis, lanes, time, isEnded } = view.value;
  const { span } = axis;
  const length = span.to - span.from;
  const current = page.current.value;
  const asking = page.store.steps.asking;
  const cost = page.store.run.value;
  const isLarge = lanes.model.length + lanes.tools.length > mostElements;
  const part = (ms: number) => (ms - page.store.steps.from - span.from) / length;

  const placeAt = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const share = (event.clientX - left - labelWidth) / Math.max(1, width - labelWidth);
    return span.from + Math.min(1, Math.max(0, share)) * length;
  };
  const draw = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      const place = placeAt(event);
      drawn.value = { from: place, to: place };
    },
    onPointerMove: (event: PointerEvent) => {
      if (drawn.value && event.buttons === 1) drawn.value = { from: drawn.value.from, to: placeAt(event) };
    },
    onPointerUp: () => {
      const range = drawn.value;
      drawn.value = null;
      if (range && Math.abs(range.to - range.from) > length / 100) page.zoom.value = zoomTo(span, range.from, range.to);
    },
    onPointerLeave: () => {
      drawn.value = null;
    },
    onDblClick: () => {
      page.zoom.value = null;
    },
  };

  return (
    <figure
      class="traj no-phone"
      aria-label={`What happened when: input, model, tools and cost on one time axis, from ${placeOf(span.from)} to ${placeOf(span.to)}`}
      {...draw}
    >
      <div class="lane axis">
        <span class="lab">{page.zoom.value !== null && <ShowAll page={page} />}</span>
        <div class="plot">
          {axis.labels.map(({ at, text }) => (
            <span key={text} class={at < 0.02 ? "tk tk0" : at > 0.98 ? "tk tk1" : "tk"} style={{ left: percent(at) }}>
              {text}
            </span>
          ))}
        </div>
      </div>
      {page.attempts.value > 1 && <AttemptLane page={page} part={part} time={time} />}
      <Lane name="Input" kind="in" labels={axis.labels}>
        {lanes.inputs.map((bar) => (
          <Input key={bar.step.line} bar={bar} page={page} />
        ))}
      </Lane>
      <Lane name="Model" kind="mo" labels={axis.labels}>
        {isLarge && <BarCanvas bars={lanes.model} page={page} rowHeight={rowHeight} />}
        {!isLarge && lanes.model.map((bar) => <ModelBar key={bar.step.line} bar={bar} page={page} />)}
        {asking && !isEnded && (
          <i
            class="b m run"
            style={{ left: percent(part(asking.since)), width: percent(Math.max(0, part(time) - part(asking.since))) }}
          />
        )}
      </Lane>
      <Lane name="Tools" kind="to" labels={axis.labels} height={8 + lanes.toolRows * rowHeight}>
        {isLarge && <BarCanvas bars={lanes.tools} page={page} rowHeight={rowHeight} />}
        {!isLarge &&
          lanes.tools.map((bar) => bar.row < mostRows && <ToolBar key={bar.step.line} bar={bar} page={page} />)}
        {lanes.waits.map((bar) => (
          <WaitBar key={bar.step.line} bar={bar} page={page} />
        ))}
        {lanes.repeated.map(({ left, width, count }) => (
          <span key={left} class="same" style={{ left: percent(left), width: percent(width) }}>
            <span class="same-n">{count} ×</span>
          </span>
        ))}
        {lanes.hidden.map(({ left, count }) => (
          <span key={left} class="dl over" style={{ left: percent(left) }}>
            +{count}
          </span>
        ))}
      </Lane>
      <Lane name="Cost" kind="co" labels={axis.labels}>
        {lanes.costs.map(({ step, left, height }) => (
          <i key={step.line} class="c" style={{ left: percent(left), height: percent(height) }} />
        ))}
        {cost && (
          <span class="sumc">
            {cost.cost_usd === null ? "no price known" : rowMoney(cost.cost_usd, cost.cost_is_estimate)}
            {isEnded ? "" : " so far"}
          </span>
        )}
      </Lane>
      {current && page.chosen.value !== null && inSpan(part(current.from)) && (
        <div class="cursor" style={{ "--x": String(part(current.from)) }} aria-hidden="true" />
      )}
      {!isEnded && inSpan(part(time)) && (
        <div class="cursor now" style={{ "--x": String(part(time)) }} aria-hidden="true" />
      )}
      {drawn.value && (
        <div
          class="drawn"
          style={{
            "--x": String((Math.min(drawn.value.from, drawn.value.to) - span.from) / length),
            "--w": String(Math.abs(drawn.value.to - drawn.value.from) / length),
          }}
        />
      )}
      {whole === span && null}
    </figure>
  );
}

const inSpan = (part: number) => part >= 0 && part <= 1;

function ShowAll({ page }: { page: RunPage }) {
  return (
    <button type="button" class="plain-btn" aria-keyshortcuts="Z" onClick={() => (page.zoom.value = null)}>
      Show all
    </button>
  );
}

type LaneProps = {
  name: string;
  kind: string;
  labels: readonly { at: number }[];
  height?: number;
  children: preact.ComponentChildren;
};

function Lane({ name, kind, labels, height, children }: LaneProps) {
  return (
    <div class={`lane ${kind}`} style={height === undefined ? undefined : { height: `${height}px` }}>
      <span class="lab">{name}</span>
      <div class="plot">
        {labels.map(({ at }) => (
          <i key={at} class="gridline" style={{ left: percent(at) }} />
        ))}
        {children}
      </div>
    </div>
  );
}

type BarProps = { bar: Bar; page: RunPage };

/** The properties that all bars have in common: hover shows in the list as well, and a press chooses the step. */
function barProps({ bar: { step }, page }: BarProps, kind: string) {
  const isChosen = page.chosen.value === step.line;
  const state = { failed: "x-failed", lost: "lost", running: "run", done: "" }[step.state];
  const classes = ["b", kind, state, isChosen && "x-sel", page.hovered.value === step.line && "x-hover"];
  return {
    class: classes.filter(Boolean).join(" "),
    onMouseEnter: () => (page.hovered.value = step.line),
    onMouseLeave: () => (page.hovered.value = null),
    onClick: () => page.choose(step),
  };
}

const placed = ({ left, width }: Bar) => ({ left: percent(left), width: percent(width) });

function ModelBar({ bar, page }: BarProps) {
  if (bar.step.kind === "retry") return <i class="retry" style={placed(bar)} onClick={() => page.choose(bar.step)} />;
  const share = reasoningShare(bar.step);
  return (
    <i {...barProps({ bar, page }, "m")} style={placed(bar)}>
      {share > 0 && <i class="r" style={{ width: percent(share) }} />}
    </i>
  );
}

/** A bar that is wide enough says what it is. */
const wideEnough = 0.12;

function ToolBar({ bar, page }: BarProps) {
  const { step } = bar;
  if (step.kind !== "tool") return null;
  const top = `${4 + bar.row * rowHeight}px`;
  return (
    <i {...barProps({ bar, page }, "t")} style={{ ...placed(bar), top, height: `${rowHeight}px` }}>
      {bar.width > wideEnough && (
        <span>
          <bdi>{firstLine(`${step.tool} ${mainArgument(step.args)}`)}</bdi>{" "}
          <b>{step.to === null ? "" : tookOf(step.to - step.from)}</b>
        </span>
      )}
    </i>
  );
}

function WaitBar({ bar, page }: BarProps) {
  const top = `${4 + bar.row * rowHeight}px`;
  return (
    <i {...barProps({ bar, page }, "wait")} style={{ ...placed(bar), top, height: `${rowHeight}px` }}>
      {bar.width > wideEnough && <span>waits for you, clock stopped</span>}
    </i>
  );
}

function Input({ bar, page }: BarProps) {
  if (bar.step.kind !== "input") return null;
  return (
    <>
      <i class="d" style={{ left: percent(bar.left) }} onClick={() => page.choose(bar.step)} />
      {bar.left < 0.9 && (
        <span class="dl" style={{ left: percent(bar.left) }}>
          {bar.step.isRequest ? "request" : "you"}
        </span>
      )}
    </>
  );
}

/** From where to where each attempt went: cut where the next begins. */
function AttemptLane({ page, part, time }: { page: RunPage; part: (ms: number) => number; time: number }) {
  const begins = page.steps.value.filter(({ kind }) => kind === "attempt");
  const all = [page.store.steps.from, ...begins.map(({ from }) => from)];
  return (
    <div class="lane att">
      <span class="lab">Attempt</span>
      <div class="plot">
        {all.map((from, index) => {
          const left = Math.max(0, part(from));
          const right = Math.min(1, part(all[index + 1] ?? time));
          return right <= left ? null : (
            <span key={from} class="a" style={{ left: percent(left), width: percent(right - left) }}>
              <b>{index + 1}</b>
            </span>
          );
        })}
      </div>
    </div>
  );
}
