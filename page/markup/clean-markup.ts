/** Markup that was made of somebody's text, as nodes: the one place where text becomes markup, by the policy that the page's headers name. */
import purify, { type Config } from "dompurify";
import { visible } from "../words/text/visible-text.ts";

const allowed: Config = {
  ALLOWED_TAGS: [
    ..."a b blockquote br code del div em hr i li ol p pre s span strong sub sup".split(" "),
    ..."table tbody td th thead tr ul".split(" "),
  ],
  ALLOWED_ATTR: ["aria-label", "align", "class", "href", "rel", "role", "start", "tabindex", "target"],
  // No addresses: what they hold isn't looked at as one.
  ADD_URI_SAFE_ATTR: ["align", "start", "tabindex"],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  RETURN_DOM_FRAGMENT: true,
};

// A link that opens another tab tells it nothing of this one.
purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("target", "_blank");
  node.setAttribute("rel", "noopener noreferrer");
});

/** Nodes of this markup, without anything that runs, loads or looks like ours, and with nothing hidden in their text. */
export function cleanMarkup(html: string): DocumentFragment {
  const nodes = purify.sanitize(html, { ...allowed, RETURN_DOM_FRAGMENT: true });
  const texts = document.createTreeWalker(nodes, NodeFilter.SHOW_TEXT);
  // What stands in markup as `&#x202E;` is a sign only now.
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const shown = visible(text.textContent ?? "");
    if (shown !== text.textContent) text.textContent = shown;
  }
  return nodes;
}
