/** A text of an agent that is still being written, with a caret at its end. */
import type { ComponentChildren } from "preact";
import "./with-caret.css";

export const WithCaret = ({ children }: { children: ComponentChildren }) => <div class="with-caret">{children}</div>;
