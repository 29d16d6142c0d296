import { createHashHistory, type RouterHistory } from '@tanstack/react-router';

const indexOf = (state: unknown) => (state as { __TSR_index?: number } | null)?.__TSR_index;

/**
 * The history of the page by its fragment. An address that somebody types makes an entry without the number that the
 * router gives to its own. Without one, the router cannot take it back when somebody stays on the screen that they left.
 */
export function numberedHistory(): RouterHistory {
  // Before the listener of the router, and past its own `replaceState`, which would go there without a question.
  window.addEventListener('popstate', ({ state }) => {
    if (indexOf(state) !== undefined) return;
    const next = (indexOf(history.location.state) ?? 0) + 1;
    History.prototype.replaceState.call(window.history, { ...state, __TSR_index: next }, '');
  });
  const history = createHashHistory();
  return history;
}
