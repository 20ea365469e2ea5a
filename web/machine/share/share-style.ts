/** How a shared run looks: by itself, on a phone, on paper, in light and dark. */
export const shareStyle = `
:root { color-scheme: light dark; --paper: light-dark(#fbfaf7, #14161a); --surface: light-dark(#f4f2ed, #1a1d22);
  --ink: light-dark(#1b1c1e, #ecebe7); --ink-2: light-dark(#50524f, #b9b8b2); --ink-3: light-dark(#6a6b66, #94958f);
  --line: light-dark(#e6e2da, #292d33); --failed: light-dark(#b3261e, #ff8d80); --done: light-dark(#39684b, #85b897);
  --accent: light-dark(#1d3f66, #a9c8ec);
  --font: -apple-system, "Segoe UI Variable Text", "Segoe UI", "Inter", "Adwaita Sans", "Cantarell", "Ubuntu", "Roboto", "Noto Sans", "Liberation Sans", system-ui, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Noto Sans Mono", "Liberation Mono", monospace; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 400 0.9375rem/1.5rem var(--font); font-variant-numeric: tabular-nums; }
main { max-width: 50rem; margin: 0 auto; padding: 2rem 1.25rem 3rem; }
h1 { font-size: 1.25rem; line-height: 1.75rem; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 0.9375rem; font-weight: 600; margin: 2rem 0 0.5rem; }
p { margin: 0; }
.meta { color: var(--ink-2); font-size: 0.8125rem; line-height: 1.25rem; margin-top: 0.5rem; overflow-wrap: anywhere; }
.meta b { font-weight: 600; color: var(--done); } .meta b.failed, .failed { color: var(--failed); }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: isolate; font: inherit; }
pre.code { font: 400 0.75rem/1.125rem var(--mono); background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.75rem; margin-top: 0.375rem; }
ol { list-style: none; margin: 0; padding: 0; }
li { border-top: 1px solid var(--line); padding: 0.75rem 0; display: grid; grid-template-columns: 4.5rem minmax(0, 1fr); gap: 0 0.75rem; }
li > .at { color: var(--ink-3); font-size: 0.75rem; line-height: 1.5rem; }
li .what { font-weight: 600; overflow-wrap: anywhere; } li .what code { font: 600 0.8125rem var(--mono); }
.small, .cut, footer, summary { color: var(--ink-3); font-size: 0.75rem; line-height: 1.25rem; }
details pre { color: var(--ink-2); margin-top: 0.25rem; }
summary { cursor: pointer; } summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 0.75rem; }
@media (max-width: 40rem) { main { padding: 1.25rem 1rem 2rem; } li { grid-template-columns: minmax(0, 1fr); } }
@media print {
  :root { color-scheme: light; } body { background: none; font-size: 10pt; line-height: 14pt; } main { max-width: none; padding: 0; }
  h2, .what { break-after: avoid; } pre.code { border-color: #ccc; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
