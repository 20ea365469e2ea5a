/** Two states of an agent or a persona compared: their settings, and their texts. */
import { Diff, PlusMinus } from "../content/diff.tsx";
import { type AgentText, settingsJson } from "../../words/drafts/agent-text.ts";
import { lineDiff } from "../../words/diff/line-diff.ts";
import type { Sides } from "./overtaken.tsx";

type Both = { before: AgentText; after: AgentText };

export function TextDiff({ before, after }: Both) {
  const settings = [settingsJson(before.settings), settingsJson(after.settings)] as const;
  const isText = before.instruction.replace(/\n$/, "") !== after.instruction.replace(/\n$/, "");
  if (!isText && settings[0] === settings[1]) return <p class="ink-3 small">They are the same.</p>;
  return (
    <div class="text-diff">
      {settings[0] !== settings[1] && <Diff before={settings[0]} after={settings[1]} />}
      {isText && <Diff before={before.instruction} after={after.instruction} />}
    </div>
  );
}

/** How many lines came and went, of both. */
export function TextPlusMinus({ before, after }: Both) {
  const [text, settings] = [
    lineDiff(before.instruction, after.instruction),
    lineDiff(settingsJson(before.settings), settingsJson(after.settings)),
  ];
  return <PlusMinus of={{ added: text.added + settings.added, removed: text.removed + settings.removed }} />;
}

/** The sides of both, for who was overtaken. */
export const sidesOf = (base: AgentText, theirs: AgentText, mine: AgentText): Sides[] => [
  { base: settingsJson(base.settings), theirs: settingsJson(theirs.settings), mine: settingsJson(mine.settings) },
  { base: base.instruction, theirs: theirs.instruction, mine: mine.instruction },
];
