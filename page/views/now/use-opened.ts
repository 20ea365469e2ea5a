/** Whether a row is opened, and whether that is to say something in it. */
import { useSignal } from "@preact/signals";

export function useOpened(isOpenAtFirst = false) {
  const isOpen = useSignal(isOpenAtFirst);
  const wantsToSay = useSignal(false);
  return {
    isOpen: isOpen.value,
    wantsToSay: wantsToSay.value,
    toggle: () => {
      isOpen.value = !isOpen.value;
      wantsToSay.value = false;
    },
    say: () => {
      isOpen.value = true;
      wantsToSay.value = true;
    },
  };
}
