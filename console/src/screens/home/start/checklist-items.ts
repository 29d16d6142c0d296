import { useCall } from '../../../api/queries.ts';
import { useDefaultModel } from '../../../templates/use-needs.ts';
import { homeTexts } from '../../../texts/home.ts';
import { sharedTexts } from '../../../texts/shared.ts';

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
  const records = useCall('records.list', { query: { limit: 1, includeFields: 'name' } });
  const runs = useCall('runs.list', { query: { limit: 1 } });
  const keys = useCall('api-keys.list');
  return [
    {
      id: 'model',
      title: homeTexts.connectModel,
      text: homeTexts.addKeyOfProvider,
      isDone: model && model === 'model',
      to: '/settings/provider-keys',
      action: homeTexts.addKey,
    },
    {
      id: 'records',
      title: sharedTexts.loadSampleData,
      text: homeTexts.aboutRecords,
      isDone: records.data && records.data.data.length > 0,
      to: '/records',
      action: sharedTexts.loadSampleData,
    },
    {
      id: 'run',
      title: homeTexts.tryFlow,
      text: homeTexts.createFlowFromTemplate,
      isDone: runs.data && runs.data.data.length > 0,
      to: '/templates?kind=flow',
      action: homeTexts.chooseTemplate,
    },
    {
      id: 'key',
      title: homeTexts.createApiKey,
      text: homeTexts.aboutApiKeys,
      isDone: keys.data && hasAny(keys.data),
      to: '/settings/api-keys',
      action: sharedTexts.createKey,
    },
  ];
}

const hasAny = (answer: object) =>
  Object.values(answer).some((value) => Array.isArray(value) && value.length > 0);
