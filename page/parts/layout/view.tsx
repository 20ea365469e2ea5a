/** A view's frame: its title, which is the tab's as well, a sentence of sums, and what can be done. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import "./view.css";

type ViewProps = {
  title: string;
  /** The tab's, where it says more. */
  tab?: string;
  /** One sentence of sums beside the title. */
  sum?: ComponentChildren;
  /** Buttons at the right; one outline button at most. */
  actions?: ComponentChildren;
  children?: ComponentChildren;
};

export function View({ title, tab = title, sum, actions, children }: ViewProps) {
  useEffect(() => {
    document.title = `${tab} · Cortex`;
  }, [tab]);
  return (
    <>
      <header class="head">
        <h1>{title}</h1>
        {sum !== undefined && <p class="sum">{sum}</p>}
        {actions !== undefined && <div class="do">{actions}</div>}
      </header>
      <div class="body">{children}</div>
    </>
  );
}
