/** A dialog, as the browser has it: it keeps the focus, and Escape closes it. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
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
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before anything else is typed.
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);
  const closeOutside = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog ref={dialog} class={`dialog ${more}`} aria-labelledby={titleId} onClose={onClose} onClick={closeOutside}>
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
