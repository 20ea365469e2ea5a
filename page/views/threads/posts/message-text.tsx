/** The text of a message, as Markdown, with the mentions in it marked. A very long text shows its beginning first. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Markdown } from "../../../parts/content/markdown.tsx";
import { mentionPieces } from "../../../words/names/mentions.ts";
import { digits } from "../../../words/amounts/money.ts";
import { cutText } from "../../../words/text/visible-text.ts";
import "./message-text.css";

/** In characters: longer ones push all others out of sight. */
const shownCharacters = 12_000;

export function MessageText({ text, known }: { text: string; known: ReadonlySet<string> }) {
  const isWhole = useSignal(false);
  const place = useRef<HTMLDivElement>(null);
  const { text: shown, left } = isWhole.value ? { text, left: 0 } : cutText(text, shownCharacters);
  useLayoutEffect(() => {
    if (place.current) markMentions(place.current, known);
  });
  return (
    <div class="tx" ref={place}>
      <Markdown text={shown} />
      {left > 0 && (
        <button type="button" class="btn quiet" onClick={() => (isWhole.value = true)}>
          Show {digits(left)} more characters
        </button>
      )}
    </div>
  );
}

/** The markup of a block is put in as nodes, which nobody else changes as long as its text stays. */
function markMentions(place: HTMLElement, known: ReadonlySet<string>): void {
  if (!place.textContent?.includes("@")) return;
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.includes("@") && !node.parentElement?.closest("code, a, button, .at-agent")) found.push(node);
  }
  for (const node of found) {
    const pieces = mentionPieces(node.data, known);
    if (pieces.every(({ isMention }) => !isMention)) continue;
    node.replaceWith(
      ...pieces.map(({ text, isMention }) => {
        if (!isMention) return text;
        const span = document.createElement("span");
        span.className = "at-agent";
        span.textContent = text;
        return span;
      }),
    );
  }
}
