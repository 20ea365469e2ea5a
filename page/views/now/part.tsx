/** A part of Now: its heading with how many there are, and its rows. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { digits } from "../../words/amounts/money.ts";
import "./part.css";

type PartProps = {
  title: string;
  count: number;
  /** How many rows of it aren't shown here, and where they are. */
  others?: { count: number; href: string } | undefined;
  more?: string | undefined;
  /** The words when there is none; none: the part isn't shown then. */
  none?: ComponentChildren;
  hasColumns?: boolean;
  children: ComponentChildren;
};

export function Part({ title, count, others, more, none, hasColumns, children }: PartProps) {
  const id = useId();
  if (count === 0 && none === undefined) return null;
  return (
    <section aria-labelledby={id}>
      <div class="cols">
        <h2 id={id}>
          {title} <span class="count">{digits(count + (others?.count ?? 0))}</span>
          {more !== undefined && <span class="more">{more}</span>}
        </h2>
        {hasColumns && <span class="num">Cost</span>}
        {hasColumns && <span class="num">Age</span>}
      </div>
      {count === 0 ? <p class="none">{none}</p> : <ol>{children}</ol>}
      {others !== undefined && others.count > 0 && (
        <p class="none">
          <a href={others.href}>{`${digits(others.count)} more`}</a>
        </p>
      )}
    </section>
  );
}
