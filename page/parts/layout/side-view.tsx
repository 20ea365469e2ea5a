/** A view in two: a list at the left, and at the right what was chosen there. On a small screen one of them at a time. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import "./side-view.css";

type SideViewProps = {
  title: string;
  /** The address of the list. */
  address: string;
  /** Nothing was chosen by the address: on a small screen there is the list alone. */
  isIndex: boolean;
  /** The tab's title, where it says more. */
  tab?: string | undefined;
  sum?: ComponentChildren;
  /** The list. */
  side: ComponentChildren;
  /** The content that was chosen; its title is a `SideTitle`. */
  children: ComponentChildren;
};

export function SideView({ title, address, isIndex, tab = title, sum, side, children }: SideViewProps) {
  useEffect(() => {
    document.title = `${tab} · Cortex`;
  }, [tab]);
  const Title = isIndex ? "h1" : "p";
  return (
    <div class={isIndex ? "side-view is-index" : "side-view"}>
      <div class="side">
        <header class="head">
          <Title class="side-name">{title}</Title>
          {sum !== undefined && <p class="sum">{sum}</p>}
        </header>
        {side}
      </div>
      <div class="shown">
        <p class="side-back">
          <a href={address}>{title}</a>
        </p>
        {children}
      </div>
    </div>
  );
}

/** The title of what is shown: the page's own where the address names it. */
export function SideTitle({ isIndex, children }: { isIndex: boolean; children: ComponentChildren }) {
  const Title = isIndex ? "h2" : "h1";
  return <Title class="shown-title">{children}</Title>;
}
