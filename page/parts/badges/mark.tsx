/** The mark of a state: each has a shape of its own, so that it reads without its colour. */
import type { MarkKind } from "../../words/runs/run-states.ts";
import "./mark.css";

const line = { fill: "none", stroke: "currentColor", "stroke-linecap": "round", "stroke-linejoin": "round" } as const;

/** Made anew for each mark: Preact keeps whatever surrounded a node that is shown again and again. */
const shapes = {
  you: () => <circle cx="8" cy="8" r="5.5" fill="currentColor" />,
  working: () => (
    <>
      <circle cx="8" cy="8" r="5.5" {...line} stroke-width="1.75" opacity=".28" />
      <path class="arc" d="M8 2.5A5.5 5.5 0 0 1 13.5 8" {...line} stroke-width="1.75" />
    </>
  ),
  waits: () => <circle cx="8" cy="8" r="5.5" {...line} stroke-width="1.6" stroke-dasharray="0.1 3.35" />,
  failed: () => <path d="M4 4l8 8M12 4l-8 8" {...line} stroke-width="2" />,
  stopped: () => <rect x="4" y="4" width="8" height="8" rx="1" {...line} stroke-width="1.6" />,
  missed: () => <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM5.5 8h5" {...line} stroke-width="1.6" />,
  done: () => <path d="M3 8.6l3.2 3.2L13 4.8" {...line} stroke-width="1.75" />,
} satisfies Record<MarkKind, () => unknown>;

const colours: Record<MarkKind, string> = {
  you: "m-you",
  working: "m-working",
  waits: "m-quiet",
  failed: "m-failed",
  stopped: "m-quiet",
  missed: "m-quiet",
  done: "m-done",
};

/** `label`: its word, for those who don't see it; none where the word stands beside it. */
export function Mark({ kind, label }: { kind: MarkKind; label?: string }) {
  const name =
    label === undefined ? ({ "aria-hidden": "true" } as const) : ({ role: "img", "aria-label": label } as const);
  return (
    <svg class={`mark ${colours[kind]}`} viewBox="0 0 16 16" {...name}>
      {shapes[kind]()}
    </svg>
  );
}
