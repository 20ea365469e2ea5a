/**
 * Which patterns may need more than linear time: a first look that lets nothing bad pass. What it doubts, somebody has to
 * judge. A pattern passes that has no unbounded repetition; or one, of a single character or class, that is the last thing
 * in it, or stands in a pattern that is bound to the begin of the text.
 */
export function isSuspicious(source: string, flags: string): boolean {
  const { unbounded, ofGroup, isLast, alternatives } = repetitionsOf(source);
  if (unbounded === 0) return false;
  if (unbounded > 1 || ofGroup || alternatives) return true;
  return !isLast && !(source.startsWith("^") && !flags.includes("m"));
}

function repetitionsOf(source: string) {
  const found = { unbounded: 0, ofGroup: false, isLast: false, alternatives: false };
  let isGroup = false;
  for (let at = 0; at < source.length; ) {
    const rest = source.slice(at);
    const [quantifier] = /^(?:[*+]|\{\d+,\})\??/.exec(rest) ?? [];
    if (quantifier !== undefined) {
      found.unbounded++;
      found.ofGroup ||= isGroup;
      found.isLast = quantifier.length === rest.length;
      at += quantifier.length;
      continue;
    }
    const [atom = ""] = /^(?:\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|[^])/u.exec(rest) ?? [];
    isGroup = atom === ")";
    found.alternatives ||= atom === "|";
    at += atom.length || 1;
  }
  return found;
}
