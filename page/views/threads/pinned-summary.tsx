/** The summary of a thread, above what was said: its beginning, and all of it when it is opened. */
import { Markdown } from "../../parts/content/markdown.tsx";
import { now } from "../../stores/browser/clock.ts";
import type { Message } from "../../stores/workspace/place-store.ts";
import { firstLine } from "../../words/names/names.ts";
import { whenOf } from "../../words/time/times.ts";
import { visible } from "../../words/text/visible-text.ts";
import "./pinned-summary.css";

export function PinnedSummary({ message }: { message: Message }) {
  const at = Date.parse(message.edited_at ?? message.created_at);
  return (
    <details class="pinned">
      <summary>
        <b>Summary</b> <bdi class="cut">{firstLine(message.text)}</bdi>
      </summary>
      <div class="pinned-text" tabIndex={0} role="region" aria-label="Summary of the thread">
        <Markdown text={message.text} />
        <p class="ink-3 small">
          by <bdi>{visible(message.author_name)}</bdi>, {whenOf(at, now.peek())}
        </p>
      </div>
    </details>
  );
}
