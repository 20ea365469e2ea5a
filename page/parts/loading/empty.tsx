/** The words where there is nothing: what is so, and what to do. */
import type { ComponentChildren } from "preact";
import "./empty.css";

type EmptyProps = {
  title: string;
  /** The command that does or shows the same. */
  command?: string;
  children?: ComponentChildren;
};

export function Empty({ title, command, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      {children !== undefined && <div class="ink-2">{children}</div>}
      {command !== undefined && <pre>{command}</pre>}
    </div>
  );
}
