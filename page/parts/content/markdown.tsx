/**
 * The text of an agent or a person, as Markdown. A text that grows changes at its end alone. For views that are loaded
 * when they are opened: it isn't small.
 */
import { useMemo } from "preact/hooks";
import { CodeBlock } from "../../markup/code-block.tsx";
import { markdownBlocks } from "../../markup/markdown-html.ts";
import { Markup } from "../../markup/markup.tsx";
import { LongText } from "./result.tsx";
import "./markdown.css";

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  if (blocks === null) return <LongText text={text} />;
  return (
    <div class="md" dir="auto">
      {blocks.map((block, index) =>
        block.kind === "code" ? (
          <CodeBlock key={index} text={block.text} language={block.language} />
        ) : (
          <Markup key={index} class="md-block" html={block.html} />
        ),
      )}
    </div>
  );
}
