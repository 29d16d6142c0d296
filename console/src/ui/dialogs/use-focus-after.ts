import { useEffect, useRef } from 'react';

/** What is deleted takes the button away that opened the question: then the focus goes to the screen. */
export function useFocusAfter(isOpen: boolean): void {
  const wasOpen = useRef(isOpen);
  wasOpen.current = isOpen;
  useEffect(
    () => () => {
      if (wasOpen.current) setTimeout(focusMain);
    },
    [],
  );
}

/** Gives the focus to the screen if nothing has it. */
export function focusMain(): void {
  if (document.activeElement === document.body)
    document.getElementById('main')?.focus({ preventScroll: true });
}
