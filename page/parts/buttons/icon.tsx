/** Signs of buttons and fields. Each stands beside a word, or in a button that has a label. */

const paths = {
  search: "M7 2.75a4.25 4.25 0 1 0 0 8.5 4.25 4.25 0 0 0 0-8.5ZM10.2 10.2 14 14",
  plus: "M8 3v10M3 8h10",
  down: "M4 6l4 4 4-4",
  next: "M6 4l4 4-4 4",
  back: "M10 4l-4 4 4 4",
  close: "M4.5 4.5l7 7M11.5 4.5l-7 7",
  warning: "M8 2.8l5.7 10H2.3zM8 6.6v3M8 11.2h.01",
  file: "M4 2.5h5L12.5 6v7.5H4zM9 2.5V6h3.5",
  clip: "M12.6 7.4l-4.7 4.7a2.9 2.9 0 0 1-4.1-4.1L8.9 2.9a1.9 1.9 0 0 1 2.7 2.7L6.6 10.6a.9.9 0 0 1-1.3-1.3l4.4-4.4",
  fork: "M4.5 1.9a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2ZM11.5 1.9a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2ZM4.5 10.9a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2ZM4.5 5.1v5.8M11.5 5.1c0 3.4-7 2-7 5.2",
  inbox: "M2.5 9l2-5.5h7l2 5.5v4h-11zM2.5 9h3.2a2.4 2.4 0 0 0 4.6 0h3.2",
  chat: "M3 3.5h10v7H7.5l-2.8 2.4v-2.4H3z",
  list: "M3 4.5h10M3 8h10M3 11.5h10",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`mark icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        stroke-width={name === "more" ? "2.4" : "1.5"}
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
