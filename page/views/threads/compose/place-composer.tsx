/** Where one writes in a thread or a fork. What was sent stands there at once. */
import type { Signal } from "@preact/signals";
import type { Message, PlaceStore } from "../../../stores/workspace/place-store.ts";
import { type Draft, sendMessage } from "../../../stores/workspace/thread-actions.ts";
import { visible } from "../../../words/text/visible-text.ts";
import { Composer } from "./composer.tsx";
import { type Look, mentionablesOf } from "../look/thread-look.ts";

type PlaceComposerProps = { look: Look; place: PlaceStore; label: string; answers: Signal<Message | null> };

export function PlaceComposer({ look, place, label, answers }: PlaceComposerProps) {
  const send = async (draft: Draft, key: string) => {
    const { message, tasks } = await sendMessage(place.place, draft, key);
    place.takeMessage(message);
    for (const task of tasks) look.thread.takeTask(task);
  };
  const answered = answers.value;
  return (
    <Composer
      workspace={look.team.id}
      of={`thread ${place.place.forkId ?? place.place.threadId}`}
      label={label}
      people={mentionablesOf(look.team)}
      answers={answered && { id: answered.id, name: visible(answered.author_name) }}
      onDropAnswer={() => (answers.value = null)}
      onSend={send}
    />
  );
}
