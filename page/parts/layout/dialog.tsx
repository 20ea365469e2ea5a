/** A dialog, as the browser has it: it keeps the focus, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { useModal } from "./use-modal.ts";
import "./dialog.css";

type DialogProps = {
  title: string;
  /** Beside "Close". */
  actions?: ComponentChildren;
  class?: string;
  onClose: () => void;
  children: ComponentChildren;
};

export function Dialog({ title, actions, class: more = "", onClose, children }: DialogProps) {
  const modal = useModal(onClose);
  const titleId = useId();
  const closeOutside = (event: MouseEvent) => {
    if (event.target === modal.ref.current) onClose();
  };
  return (
    <dialog {...modal} class={`dialog ${more}`} aria-labelledby={titleId} onClick={closeOutside}>
      <div class="dialog-inner">
        <h2 id={titleId}>{title}</h2>
        {children}
        <p class="dialog-do">
          <button type="button" class="btn" onClick={onClose}>
            Close
          </button>
          {actions}
        </p>
      </div>
    </dialog>
  );
}
