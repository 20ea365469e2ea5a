/** A piece of clean markup in the page. What hasn't changed isn't touched, so that a selection in it stays. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { cleanMarkup } from "./clean-markup.ts";

export function Markup({ html, class: name }: { html: string; class?: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(cleanMarkup(html)), [html]);
  return <div class={name} ref={place} />;
}
