import { useLocation, useRouter } from '@tanstack/react-router';

/** The address of a list with its dialog open. */
export const newAt = (list: string) => `${list}?new`;

/**
 * Whether the dialog of a list that creates something is open. The address says so: other screens lead to it, and the way
 * back closes it. What it created takes its place in the history.
 */
export function useNewInAddress(): [boolean, (isOpen: boolean) => void] {
  const { history } = useRouter();
  const isOpen = 'new' in useLocation().search;
  function set(open: boolean) {
    const { pathname, search } = history.location;
    if (open) history.push(newAt(pathname));
    else if (new URLSearchParams(search).has('new')) history.replace(pathname);
  }
  return [isOpen, set];
}
