/** Bars of a very long run, drawn: as many elements would take longer than one looks. */
import { useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { RunPage } from "../selection/run-page.ts";
import { type Bar, mostRows } from "../../../trajectory/lanes.ts";

type BarCanvasProps = { bars: readonly Bar[]; page: RunPage; rowHeight: number };

export function BarCanvas({ bars, page, rowHeight }: BarCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, bars, page.chosen.value, rowHeight);
  });
  useSignalEffect(() => {
    if (canvas.current) draw(canvas.current, bars, page.chosen.value, rowHeight);
  });
  const choose = (event: MouseEvent) => {
    const { left, width, top } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const row = Math.floor((event.clientY - top - 4) / rowHeight);
    const found = nearest(bars, (event.clientX - left) / width, row);
    if (found) page.choose(found.step);
  };
  return <canvas ref={canvas} class="bars" onClick={choose} />;
}

function nearest(bars: readonly Bar[], at: number, row: number): Bar | null {
  const distance = ({ left, width, row: of }: Bar) =>
    Math.max(left - at, at - left - width, 0) + (of === Math.max(0, row) ? 0 : 1);
  return bars.reduce<Bar | null>((best, bar) => (best === null || distance(bar) < distance(best) ? bar : best), null);
}

function draw(canvas: HTMLCanvasElement, bars: readonly Bar[], chosen: number | null, rowHeight: number): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colour = (name: string) => style.getPropertyValue(name);
  const colours = { model: colour("--drawn-model"), tool: colour("--drawn-tool"), failed: colour("--drawn-failed") };
  for (const { step, left, width: part, row } of bars) {
    if (row >= mostRows) continue;
    context.fillStyle = step.state === "failed" ? colours.failed : step.kind === "tool" ? colours.tool : colours.model;
    const top = 4 + row * rowHeight;
    context.fillRect(left * width, top, Math.max(1, part * width), Math.min(rowHeight, height - 8));
    if (step.line === chosen) context.strokeRect(left * width - 2, top - 1, part * width + 4, rowHeight);
  }
}
