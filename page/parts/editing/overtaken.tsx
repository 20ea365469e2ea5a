/** Somebody else has changed what one edits: both sides, and what becomes of one's own changes. Nothing is lost until one decides. */
import { useSignal } from "@preact/signals";
import { Button } from "../buttons/button.tsx";
import { Diff } from "../content/diff.tsx";
import "./editing.css";

/** A text as it was read, as it is saved by now, and as it stands here. */
export type Sides = { base: string; theirs: string; mine: string };

type OvertakenProps = {
  /** The parts that it is made of. */
  sides: readonly Sides[];
  onMine: () => void;
  onTheirs: () => void;
};

export function Overtaken({ sides, onMine, onTheirs }: OvertakenProps) {
  const isAsked = useSignal(false);
  return (
    <section class="overtaken" aria-label="Changed elsewhere" role="alert">
      <p class="strong">It was changed elsewhere since you read it. What you have changed is kept here.</p>
      <p class="ink-2 small">What was changed there, and is saved now:</p>
      {sides.map(({ base, theirs }, at) => base !== theirs && <Diff key={at} before={base} after={theirs} />)}
      <p class="ink-2 small">What you have changed:</p>
      {sides.map(({ base, mine }, at) => base !== mine && <Diff key={at} before={base} after={mine} />)}
      <p class="btns">
        <Button onPress={onMine}>Go on with mine</Button>
        <Button kind="quiet" onPress={() => (isAsked.value ? onTheirs() : (isAsked.value = true))}>
          {isAsked.value ? "Yes, drop mine" : "Take theirs, and drop mine"}
        </Button>
      </p>
    </section>
  );
}
