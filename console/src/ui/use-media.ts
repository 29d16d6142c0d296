import { useSyncExternalStore } from 'react';

/** Whether a media query of CSS holds, now and later. For the order of parts, which CSS would change for eyes alone. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (onChange) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', onChange);
      return () => media.removeEventListener('change', onChange);
    },
    () => window.matchMedia(query).matches,
  );
}
