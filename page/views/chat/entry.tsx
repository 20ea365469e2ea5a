/** One thing that was said or happened in a conversation. */
import type { ComponentChildren } from "preact";
import { Markdown } from "../../parts/content/markdown.tsx";
import { LongText } from "../../parts/content/result.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { TalkEntry, TalkFile } from "../../talk/talk-entry.ts";
import { tookOf } from "../../words/amounts/durations.ts";
import { countOf } from "../../words/amounts/money.ts";
import { clockOf, dayName } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import { channelName } from "./chat-words.ts";
import "./message.css";

export function Entry({ entry, name }: { entry: TalkEntry; name: string }) {
  switch (entry.kind) {
    case "day":
      return (
        <p class="day" data-key={entry.key}>
          <span>{dayName(entry.ts, now.peek())}</span>
        </p>
      );
    case "mine":
      return (
        <Said entry={entry} by="You" class="me">
          <p class="said">{visible(entry.text)}</p>
        </Said>
      );
    case "answer":
      return (
        <Said entry={entry} by={name}>
          <Markdown text={entry.text} />
        </Said>
      );
    case "thought":
      return <Folded entry={entry} title="Thought" text={entry.text} />;
    case "note":
      return <Folded entry={entry} title={entry.title} text={entry.text} />;
    case "did":
      return (
        <p class="msg did-row" data-key={entry.key}>
          <span class="by" />
          <a class="did plain" href={`/runs/${entry.run}`}>
            {tookOf(entry.tookMs)}
            {entry.tools > 0 && `, ${countOf(entry.tools, "tool")}`}
          </a>
        </p>
      );
    case "task":
    case "failed":
      return null;
  }
}

type SaidProps = {
  entry: Extract<TalkEntry, { kind: "mine" | "answer" }>;
  by: string;
  class?: string;
  children: ComponentChildren;
};

function Said({ entry, by, class: more = "", children }: SaidProps) {
  const { channel } = entry;
  const isElsewhere = channel !== null && channel !== "web";
  return (
    <div class={`msg ${more}`} data-key={entry.key}>
      <p class="by">
        <bdi>{by}</bdi> <time dateTime={new Date(entry.ts).toISOString()}>{clockOf(entry.ts)}</time>
      </p>
      <div class="tx" dir="auto">
        {children}
        <Files files={entry.files} />
        {isElsewhere && (
          <p class="did">
            {entry.kind === "mine" ? "from" : "to"} {channel === "cli" ? "the terminal" : channelName(visible(channel))}
          </p>
        )}
      </div>
    </div>
  );
}

/** Only kinds that can run nothing are shown as pictures. */
function Files({ files }: { files: readonly TalkFile[] }) {
  if (files.length === 0) return null;
  return (
    <ul class="talk-files">
      {files.map(({ id, name, mime }) => (
        <li key={id}>
          <a href={`/v1/attachments/${id}`} download={name}>
            {/^image\/(png|jpeg|gif|webp)$/.test(mime) ? (
              <img src={`/v1/attachments/${id}`} alt={visible(name)} loading="lazy" />
            ) : (
              visible(name)
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The entry of something that was not said: one line, and all of it when it is opened. */
function Folded({ entry, title, text }: { entry: TalkEntry; title: string; text: string }) {
  const first = visible(text.trim().split("\n", 1)[0] ?? "").slice(0, 300);
  return (
    <div class="msg folded" data-key={entry.key}>
      <span class="by" />
      {text === "" ? (
        <p class="ink-3 small">{title}</p>
      ) : (
        <details class="tx">
          <summary>
            <span class="fold-title">{title}</span> <bdi class="cut">{first}</bdi>
          </summary>
          <LongText text={text} label={title} />
        </details>
      )}
    </div>
  );
}
