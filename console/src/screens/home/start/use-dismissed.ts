import { useApi } from '../../../api/api.ts';
import { useKeptText } from '../../../ui/kept-choice.ts';

/** Whether one has dismissed the checklist of a workspace, in this browser. */
export function useDismissed(): [boolean, () => void] {
  const { user, organization } = useApi().credential;
  const [dismissed, keep] = useKeptText(`checklist-dismissed ${organization ?? ''} ${user}`);
  return [dismissed !== null, () => keep('true')];
}
