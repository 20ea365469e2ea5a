/** Something said about changes, or a line of them, to who made them: who goes on with it. */
import { useSignal } from "@preact/signals";
import { SayField } from "../../parts/requests/say-field.tsx";
import { shortId } from "../../words/names/names.ts";
import { type CommentPlace, sendComment } from "./changes-store.ts";

type CommentProps = { change: string; place: CommentPlace | null; label: string; hasFocus?: boolean };

export function CommentField({ change, place, label, hasFocus = false }: CommentProps) {
  const sent = useSignal<Awaited<ReturnType<typeof sendComment>> | null>(null);
  const of = place === null ? `change ${change}` : `change ${change} ${place.path} ${place.line}`;
  const send = async (text: string) => {
    sent.value = await sendComment(change, text, place);
  };
  return (
    <div class="comment">
      <SayField of={of} label={label} send="Comment" hasFocus={hasFocus} onSend={send} />
      {sent.value !== null && (
        <p class="small ink-2" role="status">
          {sent.value.run === null ? (
            <>
              Sent. The agent goes on with it: <a href={`/chat/${sent.value.companion}`}>the conversation</a>
            </>
          ) : (
            <>
              Sent. A run goes on with it: <a href={`/runs/${sent.value.run}`}>{shortId(sent.value.run)}</a>
            </>
          )}
        </p>
      )}
    </div>
  );
}
