/** Names of settings and arguments as the labels of fields. Pure. */

/** The units with which names end, and how people write them. */
const units: Readonly<Record<string, string>> = {
  seconds: "s",
  minutes: "min",
  ms: "ms",
  usd: "$",
  bytes: "bytes",
  mb: "MB",
  days: "days",
};

/** `max_cost_usd` becomes `Max cost` in `$`; `dayFrom` becomes `Day from`. */
export function labelOf(name: string): { label: string; unit: string } {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .filter(Boolean);
  const unit = words.length > 1 ? (units[words.at(-1)?.toLowerCase() ?? ""] ?? "") : "";
  const kept = unit === "" ? words : words.slice(0, -1);
  const text = kept.map((word) => (/^[A-Z]+$/.test(word) && word.length > 1 ? word : word.toLowerCase())).join(" ");
  return { label: text === "" ? name : text.charAt(0).toUpperCase() + text.slice(1), unit };
}

/** The first sentence of a description, without the marks of code. */
export function firstSentence(description: string): string {
  const text = description.replaceAll("`", "");
  return /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, ".") ?? text;
}
