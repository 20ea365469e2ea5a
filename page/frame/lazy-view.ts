/** Views that are loaded when they are first opened. One that can't be loaded breaks off like any other that fails. */
import { lazy } from "preact-iso";
import type { ComponentType } from "preact";

export const lazyView = <Props>(load: () => Promise<{ default: ComponentType<Props> }>) =>
  lazy(() => load().catch(() => ({ default: NotLoaded as ComponentType<Props> })));

/** Throws within the view, where its boundary says what is so. */
function NotLoaded(): never {
  throw new Error("It couldn’t be loaded: Cortex can’t be reached, or was updated since this page was opened.");
}
