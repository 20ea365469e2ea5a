/** A `<dialog>` that is open as long as it is shown. */
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Opens the element that is given these properties, before anything else is typed.
 * @param onClose takes it away
 */
export function useModal(onClose: () => void) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = ref;
    current?.showModal();
    return () => current?.close();
  }, []);
  return {
    ref,
    // The browser tells late that it has closed one: perhaps when it was asked for again.
    onCancel: (event: Event) => {
      event.preventDefault();
      onClose();
    },
    onClose: () => {
      if (ref.current?.isConnected) onClose();
    },
  };
}
