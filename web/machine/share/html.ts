/** Text as HTML, and how much of it. Pure. */
import type { Redact } from "./redaction.ts";

/** A text that is written as it is: made by `html` alone. */
export type Html = { readonly html: string };

const marks: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** A template whose values are escaped, unless they are HTML of ours. */
export function html(texts: TemplateStringsArray, ...values: (Html | readonly Html[] | string | number)[]): Html {
  return { html: texts.reduce((before, text, index) => before + written(values[index - 1] ?? "") + text) };
}

function written(value: Html | readonly Html[] | string | number): string {
  if (typeof value === "string") return value.replace(/[&<>"']/g, (mark) => marks[mark] ?? "");
  if (typeof value === "number") return String(value);
  return "html" in value ? value.html : value.map((one) => one.html).join("");
}

/** More than what is shown is redacted, and as much of its end never shown: a secret at the cut is found whole. In characters. */
const margin = 8192;

/** A text as it was written, at most so many characters of it. */
export function block(text: string, redact: Redact, most: number, kind: "said" | "code" = "said"): Html {
  const redacted = redact(text.slice(0, most + margin));
  const end = text.length > most + margin ? redacted.length - margin : redacted.length;
  const shown = redacted.slice(0, Math.max(0, Math.min(most, end))).toWellFormed();
  const left = Math.max(0, text.length - most);
  const note =
    left > 0 ? html`<p class="cut">${left.toLocaleString("en-US")} more characters are left out.</p>` : html``;
  return html`<pre class="${kind}" dir="auto">${shown}</pre>${note}`;
}
