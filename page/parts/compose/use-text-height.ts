/** A field that is as tall as its text. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** In pixels; a longer text scrolls. */
const tallest = 240;

export function useTextHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = "auto";
    current.style.height = `${Math.min(current.scrollHeight, tallest)}px`;
  }, [text]);
}
