/** The keys that work in every view. */
import { useLocation } from "preact-iso";
import { useLayoutEffect } from "preact/hooks";
import { keepFocus } from "../keys/keep-focus.ts";
import { areKeysShown, pressed, useKeys } from "../keys/keys.ts";
import { moveRow } from "../keys/rows.ts";
import { views } from "../words/navigation/views.ts";
import { isFinding } from "./finder/finder.tsx";

export function FrameKeys() {
  const { route } = useLocation();
  useLayoutEffect(() => {
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  useLayoutEffect(keepFocus, []);
  useKeys({
    "ctrl k": () => (isFinding.value = true),
    "?": () => (areKeysShown.value = true),
    j: () => moveRow(1),
    k: () => moveRow(-1),
    "/": () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
    ...Object.fromEntries(views.map(({ key, path }) => [`g ${key}`, () => route(path)])),
  });
  return null;
}
