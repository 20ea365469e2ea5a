/** A text of an agent that is still being written, with a caret at its end. */
import type { ComponentChildren } from "preact";
import "./growing.css";

export const Growing = ({ children }: { children: ComponentChildren }) => <div class="growing">{children}</div>;
