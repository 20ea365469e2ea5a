/** Durations and places on a time axis, in few characters. All take milliseconds. */

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const two = (value: number) => String(value).padStart(2, "0");

/** How long a step took: `20 ms`, `2.6 s`, `2 m 32 s`, `1 h 05 m`. */
export function tookOf(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < 95) return `${Math.round(whole)} ms`;
  if (whole < minute - second / 20) return `${(whole / second).toFixed(1)} s`;
  return spanOf(Math.round(whole / second) * second);
}

/** How long a run took, or has taken so far: `9 s`, `1 m 58 s`, `5 m 00 s`, `1 h 05 m`, `2 d 3 h`. */
export function spanOf(ms: number): string {
  const whole = Math.max(0, Math.floor(ms / second)) * second;
  if (whole < minute) return `${whole / second} s`;
  if (whole < hour) return `${Math.floor(whole / minute)} m ${two((whole % minute) / second)} s`;
  if (whole < day) return `${Math.floor(whole / hour)} h ${two(Math.floor((whole % hour) / minute))} m`;
  return `${Math.floor(whole / day)} d ${Math.floor((whole % day) / hour)} h`;
}

/** How long somebody has been waited for: one unit is enough. `40 s`, `4 m`, `3 h`, `2 d`. */
export function waitOf(ms: number): string {
  const whole = Math.max(0, ms);
  if (whole < minute) return `${Math.floor(whole / second)} s`;
  if (whole < hour) return `${Math.floor(whole / minute)} m`;
  if (whole < day) return `${Math.floor(whole / hour)} h`;
  return `${Math.floor(whole / day)} d`;
}

/** A place on the axis since the request, with tenths: `0:28.0`, `12:04.5`, `1:02:03`. */
export function placeOf(ms: number): string {
  const tenths = Math.max(0, Math.round(ms / 100));
  if (tenths >= 36_000) return labelOf(tenths * 100);
  return `${Math.floor(tenths / 600)}:${two(Math.floor((tenths % 600) / 10))}.${tenths % 10}`;
}

/** A label of the axis: `0:30`, `12:00`, `1:30:00`. */
export function labelOf(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / second));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A limit in words: `5 minutes`, `1 minute`, `90 seconds`, `2 hours`. */
export function limitOf(ms: number): string {
  const [size, unit] =
    ms % hour === 0 ? [ms / hour, "hour"] : ms % minute === 0 ? [ms / minute, "minute"] : [ms / second, "second"];
  return `${size} ${unit}${size === 1 ? "" : "s"}`;
}
