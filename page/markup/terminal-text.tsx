/** A program's output: coloured as at a terminal where it has colours. */
import { useEffect, useRef } from "preact/hooks";
import { visible } from "../words/text/visible-text.ts";
import "./terminal-text.css";

/** Longer output isn't coloured: it would hold up the page. */
const longestColoured = 200_000;

export function TerminalText({ text }: { text: string }) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (!text.includes("\u001b[") || text.length > longestColoured) return;
    let isShown = true;
    void import("./ansi-text.ts").then(({ ansiNodes }) => {
      if (isShown) place.current?.replaceChildren(ansiNodes(text));
    });
    return () => {
      isShown = false;
    };
  }, [text]);
  return (
    <span key={text} ref={place}>
      {visible(text)}
    </span>
  );
}
