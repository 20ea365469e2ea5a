/** Faults of the layout and of the direction of text, as a browser sees them on the view that is shown. Runs in the page. */

/** Lists them, a line each; empty where all is well. Stands alone: it is sent to the page as its source. */
export function layoutFaults(): string[] {
  const { clientWidth: width, clientHeight: height, scrollWidth } = document.documentElement;
  /** Things that may be wider than their place: they are moved sideways by themselves, or cut off on purpose. */
  const movable = "pre, table, figure, textarea, input, .cm-editor, .markdown, .chips";
  const found: string[] = [];

  const nameOf = (element: Element): string => {
    const own = [element.localName, ...element.classList].join(".");
    const parent = element.parentElement;
    const above = parent === null ? "" : `${[parent.localName, ...parent.classList].join(".")} > `;
    return `${above}${own} "${(element.textContent ?? "").slice(0, 30)}"`;
  };
  const isShown = (element: Element) =>
    element.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) && element.closest(".off") === null;

  if (scrollWidth > width) found.push(`the document is ${scrollWidth} wide, and its window ${width}`);
  for (const element of document.querySelectorAll("body *")) {
    if (!(element instanceof HTMLElement) || element.scrollWidth <= element.clientWidth + 1) continue;
    if (!["auto", "scroll"].includes(getComputedStyle(element).overflowX) || element.closest(movable) !== null)
      continue;
    if (isShown(element))
      found.push(
        `${nameOf(element)} moves sideways by ${element.scrollWidth - element.clientWidth}: ${widestIn(element)}`,
      );
  }

  // The way to other views, whole; and the title, which may not fill the window.
  const navigation = document.querySelector("nav[aria-label=Views]");
  if (navigation === null || !isInWindow(navigation)) found.push("the navigation is out of view");
  for (const title of document.querySelectorAll("main h1")) {
    if (!isShown(title)) continue;
    const { left, right, height: high } = title.getBoundingClientRect();
    if (left < 0 || right > width + 1) found.push("the title reaches out of the window");
    if (high > height / 2) found.push("the title fills the window");
  }

  // Controls that are in view: whole, and none on another one.
  const controls = [
    ...document.querySelectorAll("a, button, input, select, textarea, summary, [role=option], [role=tab]"),
  ].filter((element) => isShown(element) && element.closest(".cm-editor, figure") === null);
  const boxes = controls.map((element) => ({ element, parts: shownParts(element) }));
  for (const { element, parts } of boxes) {
    if (element.closest("pre, table, .markdown, [data-scrolls]") !== null) continue;
    if (parts.some(({ left, right }) => left < -1 || right > width + 1))
      found.push(`reaches out of the window: ${nameOf(element)}`);
  }
  const inView = boxes.filter(({ parts }) => parts.some(({ top, bottom }) => bottom > 0 && top < height)).slice(0, 400);
  for (const [at, one] of inView.entries())
    for (const other of inView.slice(at + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      if (layerOf(one.element) !== layerOf(other.element)) continue;
      if (one.parts.some((part) => other.parts.some((another) => overlap(part, another))))
        found.push(`${nameOf(one.element)} lies on ${nameOf(other.element)}`);
    }

  // Letters that run from right to left stand in a paragraph of their own, or are isolated from the words around them.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    const text = node.textContent ?? "";
    if (parent === null || !rightToLeft.test(text) || !isShown(parent)) continue;
    // In what somebody has written at length, all words are theirs.
    if (parent.closest(".cm-editor, .markdown, .md-block, pre, textarea, option") !== null) continue;
    if (hasNeighbours(node)) found.push(`turns its neighbours round: ${nameOf(parent)}`);
  }
  return [...new Set(found)];

  function isInWindow(element: Element): boolean {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return isShown(element) && left >= 0 && top >= 0 && right <= width + 1 && bottom <= height + 1 && bottom - top > 20;
  }

  /** The innermost of what reaches farthest to the right. */
  function widestIn(element: Element): string {
    let widest: Element = element;
    let right = element.getBoundingClientRect().right;
    for (const inner of element.querySelectorAll("*")) {
      if (!isShown(inner)) continue;
      for (const box of shownParts(inner, element)) if (box.right >= right) [widest, right] = [inner, box.right];
    }
    return nameOf(widest);
  }

  /** The boxes of an element, without what those above it cut off. */
  function shownParts(
    element: Element,
    within = document.body as Element,
  ): { left: number; top: number; right: number; bottom: number }[] {
    const cuts = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
    for (let above = element.parentElement; above !== null && above !== within; above = above.parentElement) {
      if (getComputedStyle(above).overflow === "visible") continue;
      const box = above.getBoundingClientRect();
      cuts.left = Math.max(cuts.left, box.left);
      cuts.top = Math.max(cuts.top, box.top);
      cuts.right = Math.min(cuts.right, box.right);
      cuts.bottom = Math.min(cuts.bottom, box.bottom);
    }
    return [...element.getClientRects()]
      .slice(0, 50)
      .map((box) => ({
        left: Math.max(box.left, cuts.left),
        top: Math.max(box.top, cuts.top),
        right: Math.min(box.right, cuts.right),
        bottom: Math.min(box.bottom, cuts.bottom),
      }))
      .filter(({ left, top, right, bottom }) => right - left > 1 && bottom - top > 1);
  }

  /** The floating box that an element stands in: it lies on others on purpose. */
  function layerOf(element: Element): Element | null {
    for (let above: Element | null = element; above !== null; above = above.parentElement)
      if (above.localName === "dialog" || ["fixed", "absolute", "sticky"].includes(getComputedStyle(above).position))
        return above;
    return null;
  }

  function overlap(one: ReturnType<typeof shownParts>[number], other: ReturnType<typeof shownParts>[number]): boolean {
    return (
      Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2 &&
      Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 2
    );
  }

  /** Whether other words share the paragraph of a text, with nothing between that keeps their directions apart. */
  function hasNeighbours(node: Node): boolean {
    let inner: Node = node;
    for (let element = node.parentElement; element !== null; inner = element, element = element.parentElement) {
      const { display, unicodeBidi } = getComputedStyle(element);
      const isInline = display === "inline" || display === "contents";
      if (element.localName === "bdi") return false;
      if (isInline && (unicodeBidi.includes("isolate") || unicodeBidi === "plaintext")) return false;
      // What is a box of its own among the others of a row is a paragraph of its own.
      const isRow = /flex|grid|table-row/.test(display);
      if (!isRow) for (const sibling of element.childNodes) if (sibling !== inner && isBeside(sibling)) return true;
      if (!isInline) return false;
    }
    return false;
  }

  function isBeside(sibling: Node): boolean {
    if ((sibling.textContent ?? "").trim() === "") return false;
    if (sibling.nodeType === Node.TEXT_NODE) return true;
    if (!(sibling instanceof Element) || !isShown(sibling)) return false;
    return getComputedStyle(sibling).display === "inline";
  }
}
