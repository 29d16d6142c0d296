import { useCall } from '../../../api/queries.ts';
import { useDefaultModel } from '../../../templates/use-needs.ts';

export interface ChecklistItem {
  id: 'model' | 'records' | 'run' | 'key';
  title: string;
  text: string;
  /** Undefined if one may not see it, and until it is known. */
  isDone: boolean | undefined;
  to: string;
  action: string;
}

/** What a new workspace does first. Each item is done when what it asks for exists. */
export function useChecklist(): ChecklistItem[] {
  const model = useDefaultModel();
  const records = useCall('GET /v1/records', { query: { limit: 1, includeFields: 'name' } });
  const runs = useCall('GET /v1/runs', { query: { limit: 1 } });
  const keys = useCall('GET /v1/api-keys');
  return [
    {
      id: 'model',
      title: 'Connect a model',
      text: 'Add the key of a provider, such as OpenAI or Anthropic.',
      isDone: model && model === 'model',
      to: '/settings/provider-keys',
      action: 'Add a key',
    },
    {
      id: 'records',
      title: 'Load sample data',
      text: 'Records are what flows work on. Load some support tickets, or upload a CSV file of your own.',
      isDone: records.data && records.data.data.length > 0,
      to: '/records',
      action: 'Load sample data',
    },
    {
      id: 'run',
      title: 'Try a flow',
      text: 'Create one from a template, and run it on a sample record.',
      isDone: runs.data && runs.data.data.length > 0,
      to: '/templates?kind=flow',
      action: 'Choose a template',
    },
    {
      id: 'key',
      title: 'Create an API key',
      text: 'Your programs start flows and agents with it.',
      isDone: keys.data && hasAny(keys.data),
      to: '/settings/api-keys',
      action: 'Create key',
    },
  ];
}

const hasAny = (answer: object) =>
  Object.values(answer).some((value) => Array.isArray(value) && value.length > 0);
