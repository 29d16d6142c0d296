import { useState } from 'react';
import { useApi } from '../../../api/api.ts';

/** Whether one has dismissed the checklist of a workspace, in this browser. */
export function useDismissed(): [boolean, () => void] {
  const { user, organization } = useApi().credential;
  const key = `checklist-dismissed ${organization ?? ''} ${user}`;
  const [isDismissed, setDismissed] = useState(() => localStorage.getItem(key) !== null);
  return [
    isDismissed,
    () => {
      localStorage.setItem(key, 'true');
      setDismissed(true);
    },
  ];
}
