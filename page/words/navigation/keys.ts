/** The keys of the page, as `?` shows them: in groups, each with what it does. */
import { views } from "./views.ts";

export type KeyRow = { keys: readonly string[]; does: string };

export const keyGroups: readonly { title: string; rows: readonly KeyRow[] }[] = [
  {
    title: "Anywhere",
    rows: [
      { keys: ["Ctrl K"], does: "find anything" },
      { keys: ["N"], does: "new request" },
      { keys: ["+"], does: "new one of what is listed here: thread, schedule, persona, skill, file" },
      { keys: ["/"], does: "filter here" },
      { keys: ["J", "K"], does: "next, previous row" },
      { keys: ["⏎"], does: "open" },
      { keys: ["?"], does: "these keys" },
      { keys: ["Esc"], does: "close, or leave the field" },
    ],
  },
  {
    title: "In a row",
    rows: [
      { keys: ["Space"], does: "last words" },
      { keys: ["A"], does: "allow once" },
      { keys: ["D"], does: "deny" },
      { keys: ["S"], does: "say something" },
      { keys: ["X"], does: "stop" },
      { keys: ["R"], does: "run again" },
      { keys: ["C"], does: "continue" },
    ],
  },
  {
    title: "In a run",
    rows: [
      { keys: ["F"], does: "first failed step" },
      { keys: ["E"], does: "follow the end" },
      { keys: ["←", "→"], does: "previous, next step" },
      { keys: ["Z"], does: "show all of it" },
    ],
  },
  {
    title: "In a chat",
    rows: [
      { keys: ["S"], does: "write" },
      { keys: ["⏎"], does: "send" },
      { keys: ["Alt ⏎"], does: "say it now" },
      { keys: ["Esc"], does: "stop what it does" },
    ],
  },
  {
    title: "In changes",
    rows: [
      { keys: ["A"], does: "apply" },
      { keys: ["D"], does: "drop" },
      { keys: ["↑", "↓"], does: "previous, next line" },
      { keys: ["⏎"], does: "comment on the line" },
    ],
  },
  {
    title: "In devices",
    rows: [{ keys: ["X"], does: "revoke another browser" }],
  },
  {
    title: "In threads",
    rows: [
      { keys: ["S"], does: "write" },
      { keys: ["R"], does: "answer, or ask again" },
      { keys: ["F"], does: "begin a fork at the message" },
      { keys: ["X"], does: "stop an answer" },
    ],
  },
  { title: "Go to", rows: views.map(({ key, title }) => ({ keys: ["G", key.toUpperCase()], does: title })) },
];
