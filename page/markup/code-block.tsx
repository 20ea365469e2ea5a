/** A piece of code, coloured where its language is known. The colours come when their chunk has: the text stands there at once. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import "./code-block.css";

type Highlight = (text: string, language: string) => DocumentFragment | null;

let loaded: Highlight | null = null;

/** Longer code isn't coloured: it would hold up the page. */
const longestColoured = 20_000;

export function CodeBlock({ text, language }: { text: string; language: string }) {
  const place = useRef<HTMLElement>(null);
  const [highlight, setHighlight] = useState<Highlight | null>(() => loaded);
  const isColoured = language !== "" && text.length <= longestColoured;
  useEffect(() => {
    if (!isColoured || loaded !== null) return;
    let isShown = true;
    void import("./highlight.ts").then((chunk) => {
      loaded = chunk.highlight;
      if (isShown) setHighlight(() => chunk.highlight);
    });
    return () => {
      isShown = false;
    };
  }, [isColoured]);
  useLayoutEffect(() => {
    const nodes = isColoured ? highlight?.(text, language) : null;
    place.current?.replaceChildren(nodes ?? text);
  }, [text, language, highlight, isColoured]);
  return (
    <pre class="out code-block" tabIndex={0} role="group" aria-label={language === "" ? "Code" : `Code, ${language}`}>
      <code ref={place} />
    </pre>
  );
}
